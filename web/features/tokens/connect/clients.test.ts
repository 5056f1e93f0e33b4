import { describe, expect, test } from 'bun:test';
import type { PricingEntry } from '#contract/money/pricing.ts';
import {
  CLIENT_GROUPS,
  CLIENTS,
  firstClient,
  guideOf,
  modelFor,
  modelsFor,
  type ClientId,
  type Connection,
} from './clients.ts';

const connection: Connection = {
  key: "sk-it's",
  host: 'https://gate.example',
  model: 'claude-opus-5',
  siteName: '收费站 “Gate”',
  system: 'posix',
};

function text(client: ClientId, index = 0, changes: Partial<Connection> = {}): string {
  const step = guideOf(client, { ...connection, ...changes }).steps[index];
  if (!step || step.kind === 'fields') throw new Error(`step ${index} of ${client} is no text`);
  return step.text;
}

function fieldsOf(client: ClientId): Record<string, string> {
  const step = guideOf(client, connection).steps.find(({ kind }) => kind === 'fields');
  if (step?.kind !== 'fields') throw new Error(`${client} has no fields`);
  return Object.fromEntries(step.fields.map(({ id, value }) => [id, value]));
}

test('every client is in one group of the menu', () => {
  expect(CLIENT_GROUPS.flatMap(([, ids]) => [...ids]).toSorted()).toEqual([...CLIENTS].toSorted());
});

test('D15 a key opens on the client that its name says, else on the last used one', () => {
  expect(firstClient('claude-code', 'curl')).toBe('claude-code');
  expect(firstClient('my Codex key', null)).toBe('codex');
  expect(firstClient('ci python', 'cursor')).toBe('python');
  expect(firstClient('work', 'cursor')).toBe('cursor');
  expect(firstClient('json', null)).toBe('curl');
  expect(firstClient('happy', 'no such client')).toBe('curl');
  for (const client of CLIENTS) expect(firstClient(`for ${client}`, null)).toBe(client);
});

test('every guide has the key, the address and, where needed, the model', () => {
  for (const client of CLIENTS) {
    const guide = JSON.stringify(guideOf(client, { ...connection, key: 'sk-plain' }));
    expect(guide).toContain('sk-plain');
    expect(guide).toContain('gate.example');
    expect(guide).toContain('claude-opus-5');
  }
});

describe('the address each client wants', () => {
  test('Claude Code: the host, and the key as a bearer token', () => {
    expect(JSON.parse(text('claude-code'))).toEqual({
      env: {
        ANTHROPIC_BASE_URL: 'https://gate.example',
        ANTHROPIC_AUTH_TOKEN: "sk-it's",
        ANTHROPIC_MODEL: 'claude-opus-5',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: 'claude-opus-5',
      },
    });
  });

  test('Codex: /v1 and the Responses wire, in valid TOML', () => {
    expect(Bun.TOML.parse(text('codex'))).toEqual({
      model: 'claude-opus-5',
      model_provider: 'tollgate',
      model_providers: {
        tollgate: {
          name: '收费站 “Gate”',
          base_url: 'https://gate.example/v1',
          env_key: 'TOLLGATE_API_KEY',
          wire_api: 'responses',
        },
      },
    });
  });

  test('the variable for Codex survives the shell of each system', async () => {
    const script = text('codex', 1).replace(/codex$/, 'printf %s "$TOLLGATE_API_KEY"');
    expect(await new Response(Bun.spawn(['sh', '-c', script]).stdout).text()).toBe("sk-it's");
    expect(text('codex', 1, { system: 'windows' })).toBe("$env:TOLLGATE_API_KEY = 'sk-it''s'\ncodex");
  });

  test('W12 Gemini CLI: the host, how to sign in, and words about plain HTTP and trusted folders', () => {
    expect(text('gemini-cli', 1).split('\n')).toEqual([
      'GOOGLE_GEMINI_BASE_URL=https://gate.example',
      "GEMINI_API_KEY=sk-it's",
      'GEMINI_MODEL=claude-opus-5',
    ]);
    const notes = (host: string) => guideOf('gemini-cli', { ...connection, host }).notes;
    expect(notes('https://gate.example')).toEqual(['trustedFolder', 'otherModels']);
    expect(notes('http://gate.example')).toEqual(['onlyHttps', 'trustedFolder', 'otherModels']);
    expect(notes('http://localhost:3000')).toEqual(['trustedFolder', 'otherModels']);
    expect(notes('http://127.0.0.1:3000')).toEqual(['trustedFolder', 'otherModels']);
    const [settings] = guideOf('gemini-cli', connection).steps;
    expect(settings).toMatchObject({ kind: 'text', place: '~/.gemini/settings.json' });
    expect(JSON.parse(text('gemini-cli'))).toEqual({
      security: { auth: { selectedType: 'gemini-api-key' } },
    });
    expect(guideOf('claude-code', connection).notes).toEqual([]);
  });

  test('opencode and aider: /v1, and the same model for their small work, in valid JSON and YAML', () => {
    expect(JSON.parse(text('opencode'))).toMatchObject({
      provider: {
        tollgate: {
          npm: '@ai-sdk/openai-compatible',
          name: '收费站 “Gate”',
          options: { baseURL: 'https://gate.example/v1', apiKey: "sk-it's" },
          models: { 'claude-opus-5': { name: 'claude-opus-5' } },
        },
      },
      model: 'tollgate/claude-opus-5',
      small_model: 'tollgate/claude-opus-5',
    });
    expect(Bun.YAML.parse(text('aider'))).toEqual({
      model: 'openai/claude-opus-5',
      'weak-model': 'openai/claude-opus-5',
      'openai-api-base': 'https://gate.example/v1',
      'openai-api-key': "sk-it's",
    });
  });

  test('Cursor and Cline: /v1; Cherry Studio and LobeChat: the host', () => {
    expect(fieldsOf('cursor')).toMatchObject({ baseUrl: 'https://gate.example/v1' });
    expect(fieldsOf('cline')).toMatchObject({
      provider: 'OpenAI Compatible',
      baseUrl: 'https://gate.example/v1',
    });
    expect(fieldsOf('cherry-studio')).toMatchObject({ host: 'https://gate.example' });
    expect(fieldsOf('lobechat')).toMatchObject({ host: 'https://gate.example' });
    expect(guideOf('cursor', { ...connection, host: 'http://192.168.1.4:3000' }).notes).toContain(
      'cursorPrivate',
    );
  });

  test('NextChat: the settings behind the hash', () => {
    const settings = decodeURIComponent(text('nextchat', 1).replace('#/?settings=', ''));
    expect(JSON.parse(settings)).toEqual({ key: "sk-it's", url: 'https://gate.example' });
  });
});

test('Cherry Studio reads its link: base64 of UTF-8 JSON', () => {
  const link = new URL(guideOf('cherry-studio', connection).link ?? '');
  expect(link.protocol).toBe('cherrystudio:');
  const data = Buffer.from(link.searchParams.get('data') ?? '', 'base64').toString('utf8');
  expect(JSON.parse(data)).toMatchObject({
    id: 'new-api',
    baseUrl: 'https://gate.example',
    apiKey: "sk-it's",
    name: '收费站 “Gate”',
  });
});

test('CC Switch gets the address its client wants', () => {
  const parameters = (client: ClientId) => new URL(guideOf(client, connection).ccSwitch ?? '').searchParams;
  expect(parameters('claude-code').get('endpoint')).toBe('https://gate.example');
  expect(parameters('codex').get('endpoint')).toBe('https://gate.example/v1');
  expect(parameters('gemini-cli').get('endpoint')).toBe('https://gate.example');
  expect(Object.fromEntries(parameters('claude-code'))).toMatchObject({
    resource: 'provider',
    app: 'claude',
    name: '收费站 “Gate”',
    apiKey: "sk-it's",
    model: 'claude-opus-5',
  });
  expect(guideOf('codex', connection).ccSwitch).not.toContain('+');
});

test('each client is offered a model it was made for, if there is one', () => {
  const named = (...names: string[]) => names.map((model_name) => ({ model_name, list_position: -1 }));
  const models = named('gpt-4o-mini', 'gemini-3-pro', 'claude-opus-5', 'gpt-5.4-codex');
  expect(modelFor('claude-code', models)).toBe('claude-opus-5');
  expect(modelFor('codex', models)).toBe('gpt-5.4-codex');
  expect(modelFor('gemini-cli', models)).toBe('gemini-3-pro');
  expect(modelFor('cline', models)).toBe('gpt-4o-mini');
  expect(modelFor('codex', named('gpt-4o-mini'))).toBe('gpt-4o-mini');
  expect(modelFor('codex', [])).toBeUndefined();
});

test('the newest model is chosen, not the first by name, and one of the own names comes last (O52)', () => {
  const at = (model_name: string, list_position: number) => ({ model_name, list_position });
  const models = [
    at('a-house-model', -1),
    at('claude-3-haiku', 90),
    at('claude-opus-5', 70),
    at('gpt-5.6', 0),
  ];
  expect(modelFor('cline', models)).toBe('gpt-5.6');
  expect(modelFor('claude-code', models)).toBe('claude-opus-5');
  expect(modelFor('cline', models.slice(0, 1))).toBe('a-house-model');
});

test('a client is offered the models that answer its path, in the group of the token (O52)', () => {
  const chat = ['/v1/chat/completions', '/v1/responses'];
  const entry = (model_name: string, endpoints: string[], group = 'default') =>
    ({ model_name, endpoints, enable_groups: [group] }) as PricingEntry;
  const list = [
    entry('suno_music', []),
    entry('mj_imagine', []),
    entry('text-embedding-3-small', ['/v1/embeddings']),
    entry('gpt-5-codex', ['/v1/responses']),
    entry('gpt-5.6', chat),
    entry('claude-opus-5', chat),
    entry('vip-only', chat, 'vip'),
  ];
  const names = (client: ClientId, group = 'default') =>
    modelsFor(client, list, group).map(({ model_name }) => model_name);
  expect(names('cline')).toEqual(['claude-opus-5', 'gpt-5.6']);
  expect(names('codex')).toEqual(['claude-opus-5', 'gpt-5-codex', 'gpt-5.6']);
  expect(names('curl', 'vip')).toEqual(['vip-only']);
});
