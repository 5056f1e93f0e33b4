// The code on the page of a model works as it stands there: each sample is taken from the page, gets a key, and calls this
// application, which asks an upstream. curl and Node run it; Python where its client is installed, else the same call is sent.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { GoogleGenAI } from '@google/genai';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(120_000);

/** Below the project, where Node finds the client's package. */
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));
const CHAT = [
  'curl',
  'python',
  'node',
  'anthropic',
  'gemini',
  'google-genai',
  'claude-code',
  'gemini-cli',
  'codex',
];
const MODELS: Record<string, readonly string[]> = {
  'gpt-4o-mini': CHAT,
  'house/chat': CHAT,
  'text-embedding-3-small': ['curl', 'python', 'node'],
  'omni-moderation-latest': ['curl', 'python', 'node'],
  'dall-e-3': ['curl', 'python', 'node'],
  'tts-1': ['curl', 'python', 'node'],
  'whisper-1': ['curl'],
  'house-rerank': ['curl'],
};

let mock: MockUpstream;
let app: TestApplication;
let key: string;
let folder: string;

beforeAll(async () => {
  mock = startMockUpstream();
  app = await startApplication({
    settings: { ModelRatio: '{"house/chat":1,"house-rerank":1}' },
  });
  await app.settings.set('ServerAddress', app.url, 0);
  await addChannel(app.store, { base_url: mock.url, models: Object.keys(MODELS) });
  const user = await app.actor({ quota: 500_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 'sample', unlimited_quota: true } });
  key = `sk-${token?.key}`;
  mkdirSync(CACHE, { recursive: true });
  folder = mkdtempSync(path.join(CACHE, 'samples-'));
  writeFileSync(path.join(folder, 'speech.mp3'), 'speech');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
  await mock.stop();
});

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
const plainText = (html: string) =>
  html.replaceAll(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => CHARACTERS[name] ?? '');

async function samplesOf(model: string): Promise<Map<string, string>> {
  const response = await fetch(`${app.url}/models/${model}?lang=en`, { headers: { Accept: 'text/html' } });
  const html = await response.text();
  return new Map(
    [...html.matchAll(/<code id="sample-([\w-]+)-code">(.*?)<\/code>/gs)].map(([, id = '', code = '']) => [
      id,
      plainText(code).replaceAll('sk-…', key),
    ]),
  );
}

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  const [output, problem] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, problem]).toEqual([0, expect.any(String)]);
  return output;
}

const has = (...command: string[]) => Bun.spawnSync(command).exitCode === 0;
const hasPython = {
  openai: has('python3', '-c', 'import openai'),
  google: has('python3', '-c', 'from google import genai'),
};

const quoted = (code: string, name: string): string =>
  JSON.parse(new RegExp(`\\b"?${name}"?[=:] ?("[^"]*")`).exec(code)?.[1] ?? '""') as string;

type Method = (body: Record<string, unknown>) => Promise<unknown>;

/** What OpenAI's client for Python would send: its JavaScript sibling has the same methods and fields. */
async function asPython(code: string): Promise<unknown> {
  const client = new OpenAI({
    baseURL: quoted(code, 'base_url'),
    apiKey: quoted(code, 'api_key'),
    maxRetries: 0,
  });
  const [, method = '', fields = ''] = /client\.([\w.]+)\(\n(.*?)\n\)/s.exec(code) ?? [];
  const body = JSON.parse(
    `{${fields
      .trim()
      .replace(/,$/, '')
      .replaceAll(/^\s*(\w+)=/gm, '"$1":')}}`,
  ) as Record<string, unknown>;
  let owner: Record<string, unknown> = client as unknown as Record<string, unknown>;
  const names = method.split('.');
  for (const name of names.slice(0, -1)) owner = owner[name] as Record<string, unknown>;
  return await (owner[names.at(-1) ?? ''] as Method).call(owner, body);
}

async function asGoogle(code: string): Promise<string | undefined> {
  const client = new GoogleGenAI({
    apiKey: quoted(code, 'api_key'),
    httpOptions: { baseUrl: quoted(code, 'base_url') },
  });
  const answer = await client.models.generateContent({
    model: quoted(code, 'model'),
    contents: quoted(code, 'contents'),
  });
  return answer.text;
}

/** What a program does with its file of settings: a call to the address, as the model, with the key. */
async function asProgram(id: string, code: string): Promise<unknown> {
  if (id === 'claude-code') {
    const { env } = JSON.parse(code.replace(/^\/\/.*\n/, '')) as { env: Record<string, string> };
    const client = new Anthropic({
      baseURL: env['ANTHROPIC_BASE_URL'] ?? '',
      authToken: env['ANTHROPIC_AUTH_TOKEN'] ?? '',
      apiKey: null,
      maxRetries: 0,
    });
    const answers = ['ANTHROPIC_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'].map((name) =>
      client.messages.create({
        model: env[name] ?? '',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    );
    return await Promise.all(answers);
  }
  if (id === 'gemini-cli') {
    const env = Object.fromEntries(
      [...code.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    return await asGoogle(
      `api_key="${env['GEMINI_API_KEY']}" base_url="${env['GOOGLE_GEMINI_BASE_URL']}" model="${env['GEMINI_MODEL']}" contents="Hello"`,
    );
  }
  const config = Bun.TOML.parse(code) as {
    model: string;
    model_provider: string;
    model_providers: Record<string, { base_url: string; wire_api: string }>;
  };
  const provider = config.model_providers[config.model_provider];
  expect(provider?.wire_api).toBe('responses');
  const client = new OpenAI({ baseURL: provider?.base_url ?? '', apiKey: key, maxRetries: 0 });
  return await client.responses.create({ model: config.model, input: 'Hello' });
}

async function runSample(id: string, code: string): Promise<string> {
  if (code.startsWith('curl '))
    return await run('sh', '-c', code.replace('curl ', 'curl -sS --fail-with-body '));
  if (id === 'node') {
    const file = path.join(folder, 'sample.mjs');
    writeFileSync(file, code);
    return await run('node', file);
  }
  if (id === 'python' && hasPython.openai) return await run('python3', '-c', code);
  if (id === 'google-genai' && hasPython.google) return await run('python3', '-c', code);
  const answer =
    id === 'python'
      ? await asPython(code)
      : id === 'google-genai'
        ? await asGoogle(code)
        : await asProgram(id, code);
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

describe.each(Object.entries(MODELS))('the samples of %s', (model, clients) => {
  test('are for every client that can call it, and each of them works', async () => {
    const samples = await samplesOf(model);
    expect([...samples.keys()].toSorted()).toEqual([...clients].toSorted());
    for (const [id, code] of samples) {
      expect(code, id).toContain(app.url);
      const before = mock.requests.length;
      const output = await runSample(id, code);
      expect([id, output.length > 1, mock.requests.length > before]).toEqual([id, true, true]);
    }
  });
});
