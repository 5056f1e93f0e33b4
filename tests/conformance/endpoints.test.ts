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

/** Google's SDK writes paths as templates; those of Vertex AI alone are not its public API's. */
function readGoogle(): Endpoint[] {
  const source = readFileSync(new URL('@google/genai/dist/index.mjs', modules), 'utf8');
  const names: Record<string, string> = {
    model: 'models/gpt-4o',
    file_search_store_name: 'fileSearchStores/x1',
  };
  const templates = new Set(
    [...source.matchAll(/formatMap\('([^']+)'/g)].map(([, template = '']) => template),
  );
  return [...templates]
    .filter((template) => !/^\{(?:name|models_url|operationName|resourceName|parent)\}/.test(template))
    .map((template) => {
      const path = template
        .replace(/\?.*/, '')
        .replaceAll(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? 'x1');
      const method = template === '{model}' ? 'GET' : 'POST';
      return { method, path: path.startsWith('upload/') ? `/${path}` : `/v1beta/${path}` };
    });
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
      expect(endpoints.length).toBeGreaterThan(api === 'google' ? 15 : 100);
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
});
