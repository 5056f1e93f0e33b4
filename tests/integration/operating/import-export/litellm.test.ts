// Moving in from LiteLLM: channels and prices of its configuration, users and keys of its database and a file of keys.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  importLiteLlm,
  isLiteLlm,
  openImportSource,
  readLiteLlm,
} from '#server/operating/import-export/index.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-litellm-'));
/** LiteLLM's keys may contain dashes, also at their beginning and before digits. */
const KEY = 'sk--yA5-12_kkQ-99';
const hash = (key: string) => createHash('sha256').update(key).digest('hex');
let upstream: MockUpstream;
let app: TestApplication;

beforeAll(async () => {
  upstream = startMockUpstream();
  app = await startApplication({ database: 'postgres' });
  const db = new Database(path.join(folder, 'litellm.db'), { create: true });
  db.run(
    'create table "LiteLLM_UserTable" (user_id text, user_alias text, user_email text, max_budget real, spend real, tpm_limit integer, rpm_limit integer)',
  );
  db.run(
    'create table "LiteLLM_VerificationToken" (token text, key_alias text, user_id text, models text, max_budget real, spend real, expires text, blocked integer, rpm_limit integer)',
  );
  db.run(
    "insert into \"LiteLLM_UserTable\" values ('u1', 'erin', 'erin@example.com', 10, 2.5, null, 7), ('u2', 'root', null, null, 0, null, null)",
  );
  db.run(
    'insert into "LiteLLM_VerificationToken" values (?, ?, ?, ?, 1, 0.25, null, 0, 3), (?, ?, ?, ?, null, 0, null, 0, null)',
    [hash(KEY), 'laptop', 'u1', '{kept-name}', hash('sk-unknown'), 'lost', 'u2', '{}'],
  );
  db.close();
  writeFileSync(
    path.join(folder, 'keys.csv'),
    `key,key_alias,user_id\n${KEY},from file,\nsk-plain,script,\n`,
  );
  writeFileSync(
    path.join(folder, 'config.yaml'),
    `model_list:\n  - model_name: kept-name\n    litellm_params: { model: openai/upstream-name, api_base: "${upstream.url}/v1", api_key: sk-up, input_cost_per_token: 0.000002, output_cost_per_token: 0.000002 }\n`,
  );
});
afterAll(async () => {
  await app.close();
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function bring(isDry: boolean) {
  const parts = { store: app.store, settings: app.settings, optionAudit: async () => {} };
  const configuration = path.join(folder, 'config.yaml');
  const choices = { isDry, overwrites: false };
  const first = await importLiteLlm(
    await readLiteLlm({ configuration, keys: undefined, variables: process.env }),
    parts,
    choices,
  );
  const source = await openImportSource(path.join(folder, 'litellm.db'));
  expect(await isLiteLlm(source)).toBe(true);
  const second = await importLiteLlm(
    await readLiteLlm({ source, keys: path.join(folder, 'keys.csv'), variables: process.env }),
    parts,
    choices,
  );
  await source.close();
  return [first.lines(isDry), second.lines(isDry)].flat().join('\n');
}

const rows = async () =>
  JSON.stringify([
    await app.store.db.selectFrom('users').selectAll().orderBy('id').execute(),
    await app.store.db.selectFrom('tokens').selectAll().orderBy('id').execute(),
    await app.store.db.selectFrom('channels').selectAll().orderBy('id').execute(),
    await app.store.db.selectFrom('ledger').selectAll().orderBy('id').execute(),
  ]);

test('keys in the clear are brought with their budget; digests are named as lost; a second import changes nothing', async () => {
  const before = await rows();
  const dry = await bring(true);
  expect(await rows()).toBe(before);
  expect(dry).toContain('the database has only a digest of the key');
  expect(dry).toContain('user root: the name is taken here, brought as root_2');
  await bring(false);
  const after = await rows();
  const users = await app.store.db
    .selectFrom('users')
    .select(['username', 'quota', 'requests_per_minute'])
    .where('id', '>', 1)
    .orderBy('id')
    .execute();
  expect(users).toEqual([
    { username: 'erin', quota: 3_750_000, requests_per_minute: 7 },
    { username: 'root_2', quota: 0, requests_per_minute: 0 },
    { username: 'litellm', quota: 0, requests_per_minute: 0 },
  ]);
  const tokens = await app.store.db
    .selectFrom('tokens')
    .select(['name', 'remain_quota', 'unlimited_quota', 'model_limits', 'requests_per_minute'])
    .orderBy('id')
    .execute();
  expect(tokens).toEqual([
    {
      name: 'laptop',
      remain_quota: 375_000,
      unlimited_quota: 0,
      model_limits: 'kept-name',
      requests_per_minute: 3,
    },
    { name: 'script', remain_quota: 0, unlimited_quota: 1, model_limits: '', requests_per_minute: 0 },
  ]);
  expect(app.settings.current.ModelRatio).toEqual({ 'kept-name': 1 });
  await bring(false);
  expect(await rows()).toBe(after);
  expect(await checkInvariants(app.store)).toEqual([]);
});

test('a key with dashes calls a model, also the second time; a wrong one is refused', async () => {
  const call = async (key: string) => {
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'kept-name', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await answer.text();
    return answer.status;
  };
  expect([await call(KEY), await call(KEY), await call(`${KEY}-1`), await call('sk-nobody-12')]).toEqual([
    200, 200, 401, 401,
  ]);
});

test('numbers and addresses without sense are left behind with entry, field and reason, and the rest is brought (S31)', async () => {
  const entry = (name: string, parameters: string) =>
    `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_key: sk-${name}, ${parameters} } }\n`;
  const configuration = path.join(folder, 'absurd.yaml');
  writeFileSync(
    configuration,
    `model_list:\n${[
      entry('script', 'api_base: "javascript:alert(1)"'),
      entry('file', 'api_base: "file:///etc/passwd"'),
      entry('endless', 'weight: .inf'),
      entry('heavy', 'weight: 1e300'),
      entry('worded', 'weight: "Infinity"'),
      entry('dear', 'input_cost_per_token: .inf'),
      entry('costly', 'input_cost_per_token: 1e300'),
      entry('late', 'order: 5000'),
      entry('sound', `api_base: "${upstream.url}", input_cost_per_token: 0.000002`),
    ].join('')}`,
  );
  const keys = path.join(folder, 'absurd.csv');
  const row = (name: string, field: string, value: string) => {
    const fields = ['max_budget', 'spend', 'expires', 'rpm_limit', 'tpm_limit', 'max_parallel_requests'];
    return `sk-absurd-${name},${name},absurd,${fields.map((each) => (each === field ? value : '')).join(',')}\n`;
  };
  writeFileSync(
    keys,
    `key,key_alias,user_id,max_budget,spend,expires,rpm_limit,tpm_limit,max_parallel_requests\n${[
      row('rich', 'max_budget', 'Infinity'),
      row('richer', 'max_budget', '1e300'),
      row('richest', 'max_budget', '9e15'),
      row('spent', 'spend', '1e300'),
      row('eternal', 'expires', 'Infinity'),
      row('quick', 'rpm_limit', '1e300'),
      row('quicker', 'tpm_limit', '9000000000'),
      row('quickest', 'max_parallel_requests', 'Infinity'),
      row('plain', '', ''),
    ].join('')}`,
  );
  const parts = { store: app.store, settings: app.settings, optionAudit: async () => {} };
  const input = await readLiteLlm({ configuration, keys, variables: {} });
  const before = await app.store.db.selectFrom('channels').select('id').execute();
  const text = (await importLiteLlm(input, parts, { isDry: false, overwrites: false }))
    .lines(false)
    .join('\n');
  for (const line of [
    'without a user name and password): LiteLLM openai 1 (script), LiteLLM openai 2 (file)',
    'the entry cannot be read: litellm_params.weight): entry 3, entry 4, entry 5',
    'the entry cannot be read: litellm_params.input_cost_per_token): entry 6, entry 7',
    'priority must be at least -999): LiteLLM openai 3 (late)',
    'max_budget is not a number): rich',
    'max_budget is past the cap): richer, richest',
    'spend is past the cap): spent',
    'expires is not a time): eternal',
    'rpm_limit is not a whole number): quick',
    'tokens_per_minute must be at most 1000000000): quicker',
    'max_parallel_requests is not a whole number): quickest',
  ])
    expect(text).toContain(line);
  const channels = await app.store.db.selectFrom('channels').selectAll().execute();
  const made = channels.filter(({ id }) => !before.some((known) => known.id === id));
  expect(made.map(({ models, base_url }) => [models, base_url])).toEqual([['sound', upstream.url]]);
  expect(app.settings.current.ModelRatio).toMatchObject({ sound: 1 });
  const tokens = await app.store.db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select('name')
    .where('username', '=', 'absurd')
    .execute();
  expect(tokens).toEqual([{ name: 'plain' }]);
  expect(await checkInvariants(app.store)).toEqual([]);
});

test('settings of LiteLLM that exist here are brought, and every other one is named with the reason (N37)', async () => {
  const configuration = path.join(folder, 'settings.yaml');
  writeFileSync(
    configuration,
    `model_list:
  - model_name: limited
    litellm_params: { model: openai/limited, api_key: sk-limited, rpm: 60, tpm: 9000, max_parallel_requests: 4, timeout: 30 }
  - model_name: also-limited
    rpm: 7
    litellm_params: { model: openai/also-limited, api_key: sk-limited, max_parallel_requests: 6 }
  - model_name: free
    litellm_params: { model: openai/free, api_key: sk-free }
    model_info: { mode: chat }
router_settings:
  num_retries: 5
  routing_strategy: latency-based-routing
  fallbacks: [{ limited: [free, also-limited] }]
  redis_password: redis-secret
litellm_settings:
  num_retries: 3
  drop_params: false
  context_window_fallbacks: [{ limited: [free] }]
  request_timeout: 600
general_settings: { master_key: sk-settings-master, database_url: "postgresql://name:database-secret@host/db" }
environment_variables: { OPENAI_API_KEY: variable-secret }
`,
  );
  const parts = { store: app.store, settings: app.settings, optionAudit: async () => {} };
  const input = await readLiteLlm({ configuration, keys: undefined, variables: {} });
  const dry = (await importLiteLlm(input, parts, { isDry: true, overwrites: false })).lines(true);
  const text = dry.join('\n');
  for (const line of [
    '): router_settings.fallbacks limited → free, also-limited, litellm_settings.context_window_fallbacks limited → free',
    'a call is retried on other channels of its own model only',
    'which is brought): litellm_settings.num_retries',
    'a channel has no limit per minute',
    'limited (rpm 60), limited (tpm 9000), also-limited (rpm 7)',
    'The field litellm_params.timeout has no equal here, not brought: limited',
    'The field model_info.mode has no equal here, not brought: free',
    'not brought: environment_variables, router_settings.redis_password, litellm_settings.request_timeout, general_settings.database_url',
  ])
    expect(text).toContain(line);
  expect(text).not.toMatch(/redis-secret|database-secret|variable-secret/);
  await importLiteLlm(input, parts, { isDry: false, overwrites: false });
  const { RetryTimes, ChannelOrder, StrictConversionEnabled } = app.settings.current;
  expect({ RetryTimes, ChannelOrder, StrictConversionEnabled }).toEqual({
    RetryTimes: 5,
    ChannelOrder: 'fastest',
    StrictConversionEnabled: true,
  });
  const channels = await app.store.db
    .selectFrom('channels')
    .select(['models', 'max_concurrency'])
    .where('models', 'in', ['limited,also-limited', 'free'])
    .orderBy('id')
    .execute();
  expect(channels).toEqual([
    { models: 'limited,also-limited', max_concurrency: 10 },
    { models: 'free', max_concurrency: 0 },
  ]);
});
