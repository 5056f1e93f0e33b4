// Every endpoint of the installed official SDKs, as their own code names it: served, or refused in the shape of its API with a
// reason. An endpoint that a new version of an SDK brings fails here until it is one of both.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject, member, type Json } from '#server/models/formats/json.ts';
import { openStation, type Station } from '#tests/integration/relay/batches/support.ts';

setDefaultTimeout(120_000);

interface Endpoint {
  method: string;
  path: string;
}

const modules = new URL('../../node_modules/', import.meta.url);
const call = /_client\s*\.(get|post|put|patch|delete|getAPIList)\(\s*(?:path\s*)?(['"`])(\/[^'"`]+)\2/g;

function readEndpoints(folder: string): Endpoint[] {
  const root = fileURLToPath(new URL(folder, modules));
  const found = new Map<string, Endpoint>();
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.mjs')) continue;
    for (const [, verb = '', , template = ''] of readFileSync(`${root}/${name}`, 'utf8').matchAll(call)) {
      const method = verb === 'getAPIList' ? 'GET' : verb.toUpperCase();
      const path = template.replaceAll(/\$\{[^}]*\}/g, 'x1').replace(/\?.*/, '');
      found.set(`${method} ${path}`, { method, path });
    }
  }
  return [...found.values()];
}

/** What `{name}` stands for in the methods of a class of Google's SDK. */
const namesByClass: Record<string, string> = {
  Caches: 'cachedContents/x1',
  Documents: 'fileSearchStores/x1/documents/x1',
  FileSearchStores: 'fileSearchStores/x1',
  Models: 'models/gpt-4o',
  Tunings: 'tuningJobs/x1',
};
const valuesOf: Record<string, string> = {
  api_version: 'v1beta',
  model: 'models/gpt-4o',
  models_url: 'models',
  file_search_store_name: 'fileSearchStores/x1',
  parent: 'fileSearchStores/x1',
  operationName: 'models/gpt-4o/operations/x1',
  resourceName: 'models/gpt-4o',
};

/** Google's SDK writes paths as templates, of two generators; each method follows its path. */
function readGoogle(): Endpoint[] {
  const source = readFileSync(new URL('@google/genai/dist/index.mjs', modules), 'utf8');
  const found = new Map<string, Endpoint>();
  let className = '';
  let template = '';
  for (const [, opened, mapped, routed, method] of source.matchAll(
    /^class (\w+)|formatMap\('([^']+)'|pathToFunc\("([^"]+)"\)|\b(?:httpM|m)ethod: ['"]([A-Z]+)['"]/gm,
  )) {
    className = opened ?? className;
    template = mapped ?? routed ?? template;
    if (method === undefined || template === '') continue;
    const path = template.replace(/\?.*/, '').replaceAll(/\{(\w+)\}/g, (all, name: string) => {
      const isWhole = all === template || template.startsWith(`${all}:`);
      const value = name === 'name' && isWhole ? namesByClass[className] : (valuesOf[name] ?? 'x1');
      if (value === undefined) throw new Error(`the class ${className} of Google's SDK is not known here`);
      return value;
    });
    template = '';
    const whole = /^\/|^upload\//.test(path) ? path.replace(/^\/?/, '/') : `/v1beta/${path}`;
    found.set(`${method} ${whole}`, { method, path: whole });
  }
  return [...found.values()];
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const shapes: Record<string, (body: Json) => boolean> = {
  openai: ({ error }) => isObject(error) && isText(error['message']) && isText(error['type']),
  anthropic: ({ type, error }) =>
    type === 'error' && isText(member(error)['type']) && isText(member(error)['message']),
  google: ({ error }) => typeof member(error)['code'] === 'number' && isText(member(error)['status']),
};

const apis: readonly (readonly [string, Endpoint[], (key: string) => Record<string, string>])[] = [
  [
    'openai',
    readEndpoints('openai/resources').map(({ method, path }) => ({ method, path: `/v1${path}` })),
    (key) => ({ Authorization: `Bearer ${key}` }),
  ],
  [
    'anthropic',
    readEndpoints('@anthropic-ai/sdk/resources'),
    (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  ],
  ['google', readGoogle(), (key) => ({ 'x-goog-api-key': key })],
];

describe('endpoints of the official SDKs', () => {
  let station: Station;
  beforeAll(async () => {
    station = await openStation('sqlite');
  });
  afterAll(() => station.close());

  test.each(apis)(
    '%s: each is served, or refused in its own shape with a reason (W30, W31, W42)',
    async (api, endpoints, headersFor) => {
      const { key } = await station.caller(1_000_000);
      expect(endpoints.length).toBeGreaterThan(api === 'google' ? 60 : 100);
      const wrong: string[] = [];
      for (const { method, path } of endpoints) {
        const answer = await fetch(`${station.app.url}${path}`, {
          method,
          headers: { ...headersFor(key), 'Content-Type': 'application/json' },
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
        });
        const text = await answer.text();
        const body = member(text.startsWith('{') ? JSON.parse(text) : undefined);
        const isRefused = answer.status >= 300;
        const isOwn = !isRefused || shapes[api]?.(body) === true;
        // A path or a method that we do not know has no reason.
        if (!isOwn || /There is no such endpoint|This method is not supported/.test(text))
          wrong.push(`${method} ${path} ${answer.status} ${text.slice(0, 160)}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  /** Named by versions of the SDKs other than the installed ones. */
  test.each([
    ['openai', 'POST /v1/decisions', 'Use POST /v1/responses instead'],
    ['openai', 'POST /v1/content_provenance_checks', 'not supported'],
    ['openai', 'POST /v1/audio/voices', 'cannot be separated'],
    ['openai', 'GET /v1/audio/voice_consents/x1', 'cannot be separated'],
    ['openai', 'GET /v1/safety/alerts/x1', 'cannot be separated'],
    ['openai', 'GET /v1/webhook_event_types', 'cannot be separated'],
    ['openai', 'POST /v1/webhook_endpoints/x1/rotate_secret', 'cannot be separated'],
    ['openai', 'POST /v1/live/sessions', 'Open the WebSocket /v1/realtime'],
    ['anthropic', 'POST /v1/complete', 'Use POST /v1/messages instead'],
  ])('%s: %s is refused with a reason (W42)', async (api, endpoint, reason) => {
    expect(await refusalOf(api, endpoint)).toEqual([501, 'false', true, expect.stringContaining(reason)]);
  });

  test.each([
    ['openai', 'POST /v1/uploads', 'POST /v1/files'],
    ['openai', 'POST /v1/threads', 'POST /v1/responses, /v1/conversations'],
    ['openai', 'GET /v1/chat/completions/x1', 'POST /v1/responses'],
    ['anthropic', 'GET /v1/files', 'source.type base64'],
    ['google', 'POST /upload/v1beta/files', 'inlineData'],
    ['google', 'GET /v1beta/files/x1', 'inlineData'],
    ['google', 'POST /v1beta/cachedContents', 'contents'],
    ['google', 'GET /v1beta/batches/x1', 'POST …:generateContent'],
    ['google', 'POST /v1beta/models/gpt-4o:batchGenerateContent', 'POST …:generateContent'],
    ['google', 'POST /v1beta/models/gpt-4o:predict', 'POST /v1/images/generations'],
    ['google', 'POST /v1beta/auth_tokens', 'POST /v1/realtime/client_secrets'],
    [
      'google',
      'GET /ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
      'WebSocket /v1/realtime',
    ],
  ])('%s: the refusal of %s says to use %s (W42)', async (api, endpoint, instead) => {
    const sentence = expect.stringContaining(`is not offered here. Use ${instead} instead. (request id`);
    expect(await refusalOf(api, endpoint)).toEqual([501, 'false', true, sentence]);
  });

  test.each(['openai', 'anthropic', 'google'])(
    '%s: a client with a wrong base address gets an error of its API and never the page of the console (W40)',
    async (api) => {
      for (const endpoint of ['GET /nothing/here', 'POST /nothing/here', 'DELETE /nothing'])
        expect(await refusalOf(api, endpoint)).toEqual([
          404,
          null,
          true,
          expect.stringContaining(`There is no such endpoint: ${endpoint}`),
        ]);
    },
  );

  test('a browser gets the console at any other path, also behind a proxy that adds a bearer (W40)', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const headers = { Accept: accept, Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' };
    const page = await fetch(`${station.app.url}/token`, { headers });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toStartWith('text/html');
  });

  async function refusalOf(api: string, endpoint: string) {
    const { key } = await station.caller(1_000_000);
    const [method = '', path = ''] = endpoint.split(' ');
    const headers = apis.find(([name]) => name === api)?.[2](key);
    const answer = await fetch(`${station.app.url}${path}`, { method, headers: headers ?? {} });
    const body = member(await answer.json());
    const { message } = member(body['error']);
    return [answer.status, answer.headers.get('x-should-retry'), shapes[api]?.(body), message];
  }
});
