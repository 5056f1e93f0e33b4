// The log API over HTTP, with rows the relay and the ledger wrote: access, every filter, stat, export, search, reading by
// key, and the cleanup with the money audit after it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Language } from '#contract/language.ts';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

const MODEL = 'gpt-4o-mini';
const OTHER_MODEL = 'gpt-4o';
const BROKEN_MODEL = 'gpt-4.1';

let app: TestApplication;
let mock: MockUpstream;
let ana: Actor;
let bo: Actor;
let admin: Actor;
let root: Actor;
let anaKey: string;
let channel: number;

async function relay(key: string, model: string, extra: Record<string, unknown> = {}): Promise<void> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello there' }], ...extra }),
  });
  await response.text();
}

async function keyOf(actor: Actor, name: string): Promise<string> {
  const [token] = await app
    .client(actor)
    .tokens.create({ body: { name, unlimited_quota: true, group: 'default' } });
  return `sk-${token?.key}`;
}

beforeAll(async () => {
  mock = startMockUpstream();
  app = await startApplication({ settings: { RetryTimes: '0' } });
  channel = await addChannel(app.store, {
    base_url: mock.url,
    models: [MODEL, OTHER_MODEL],
    name: 'good one',
  });
  // A closed port.
  await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: [BROKEN_MODEL], name: 'gone' });
  ana = await app.actor({ username: 'ana', quota: 50_000_000 });
  bo = await app.actor({ username: 'bo', quota: 50_000_000 });
  admin = await app.actor({ role: ROLE.admin });
  root = await app.actor({ role: ROLE.root });
  anaKey = await keyOf(ana, 'web');
  const boKey = await keyOf(bo, 'ci');
  await relay(anaKey, MODEL, { stream: true, reasoning_effort: 'medium' });
  await relay(anaKey, OTHER_MODEL);
  await relay(anaKey, BROKEN_MODEL);
  await relay(boKey, MODEL);
  const event = { username: 'ana', user_id: ana.id, created_at: Math.floor(Date.now() / 1000) };
  await app.store.db
    .insertInto('logs')
    .values([
      { ...event, type: LOG_TYPE.topUp, content: 'redeemed', quota: 500_000, group: '' },
      { ...event, type: LOG_TYPE.manage, content: 'an administrator changed something', quota: 0, group: '' },
      { ...event, type: LOG_TYPE.system, content: 'gift', quota: 0, group: 'vip' },
    ])
    .execute();
  await settled();
});
afterAll(async () => {
  await app.close();
  await mock.stop();
});

/** A stream is settled after its last byte. */
async function settled(): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { total } = await app.client(admin).logs.list({ query: {} });
    if (total === 7) return;
    await Bun.sleep(25);
  }
  expect.unreachable('seven rows');
}

const models = (items: readonly LogView[]) => items.map(({ model_name: name }) => name);
const call = (items: readonly LogView[], model: string) =>
  items.find((row) => row.model_name === model) ?? expect.unreachable(model);

describe('access', () => {
  test('REL-7.53 REL-6.05 an admin lists the rows of all users, newest first', async () => {
    const { items, total } = await app.client(admin).logs.list({ query: {} });
    expect(total).toBe(7);
    expect(new Set(items.map(({ username }) => username))).toEqual(new Set(['ana', 'bo']));
    const times = items.map(({ created_at: at }) => at);
    expect(times).toEqual(times.toSorted((left, right) => right - left));
  });

  test('REL-7.54 REL-6.06 REL-1.08 a user lists only their own rows', async () => {
    const own = await app.client(bo).logs.listSelf({ query: {} });
    expect(models(own.items)).toEqual([MODEL]);
    expect(own.items[0]?.username).toBe('bo');
    const reply = await app.request('/api/log/?username=ana', { as: bo });
    expect([reply.status, reply.body.code]).toEqual([403, 'no_permission']);
  });

  test('REL-7.57 REL-7.62 the admin’s filters have no effect in a user’s own list', async () => {
    const reply = await app.request(`/api/log/self/?username=bo&channel=${channel + 1}`, { as: ana });
    expect((reply.body.data as { total: number }).total).toBe(6);
  });

  test('REL-3.102 channels, attempts and the requested model are shown only to administrators', async () => {
    const forAdmin = call((await app.client(admin).logs.list({ query: { username: 'ana' } })).items, MODEL);
    expect(forAdmin).toMatchObject({ channel, channel_name: 'good one', upstream_model: MODEL });
    const info = JSON.parse(forAdmin.other) as { admin_info: { use_channel: string[] } };
    expect(info.admin_info.use_channel).toEqual([String(channel)]);

    const reply = await app.request('/api/log/self/', { as: ana });
    expect(JSON.stringify(reply.body)).not.toContain('admin_info');
    expect(JSON.stringify(reply.body)).not.toContain('good one');
    const own = call((reply.body.data as { items: LogView[] }).items, MODEL);
    expect(own).toMatchObject({ channel: 0, channel_name: '', upstream_model: '' });
    expect(JSON.parse(own.other)).toMatchObject({ reasoning_effort: 'medium' });
  });
});

describe('a row', () => {
  test('REL-3.73 REL-3.74 REL-3.75 REL-3.76 REL-3.77 REL-3.78 REL-3.79 REL-3.80 REL-3.81 REL-3.82 REL-3.83 REL-3.84 REL-3.85 REL-3.86 REL-3.87 REL-3.88 REL-3.89 every field of a relayed call', async () => {
    const row = call((await app.client(admin).logs.list({ query: { username: 'ana' } })).items, MODEL);
    expect(row).toMatchObject({
      type: LOG_TYPE.consumption,
      username: 'ana',
      user_id: ana.id,
      token_name: 'web',
      channel,
      channel_name: 'good one',
      group: 'default',
      is_stream: true,
      content: '',
    });
    expect(row.id).toBeGreaterThan(0);
    expect(Math.abs(row.created_at - Date.now() / 1000)).toBeLessThan(120);
    expect(row.prompt_tokens).toBeGreaterThan(0);
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.quota).toBeGreaterThan(0);
    expect(Number.isInteger(row.use_time)).toBe(true);
    expect(typeof row.other).toBe('string');
  });

  test('REL-3.90 REL-3.91 REL-3.92 REL-3.93 REL-3.94 REL-3.101 the stored details recompute the charge', async () => {
    const row = call((await app.client(ana).logs.listSelf({ query: {} })).items, MODEL);
    const other = JSON.parse(row.other) as Record<string, number> & { usage: Record<string, number> };
    expect(other['frt']).toBeGreaterThanOrEqual(0);
    expect(other['model_price']).toBe(-1);
    expect(other['reasoning_effort']).toBe('medium' as never);
    const input = other.usage['input'] ?? 0;
    const output = other.usage['output'] ?? 0;
    const cached = (other.usage['cacheRead'] ?? 0) * (other['cache_ratio'] ?? 0);
    const quota =
      (input + cached + output * (other['completion_ratio'] ?? 0)) *
      (other['model_ratio'] ?? 0) *
      (other['group_ratio'] ?? 0);
    expect(Math.abs(quota - row.quota)).toBeLessThanOrEqual(1);
  });

  test('a failed call has its reason and no charge', async () => {
    const { items } = await app.client(ana).logs.listSelf({ query: { type: LOG_TYPE.error } });
    expect(models(items)).toEqual([BROKEN_MODEL]);
    expect(items[0]).toMatchObject({ quota: 0, type: LOG_TYPE.error });
    expect(items[0]?.content).not.toBe('');
  });
});

describe('filters', () => {
  const total = async (
    query: NonNullable<Parameters<ReturnType<TestApplication['client']>['logs']['list']>[0]>['query'],
  ) => (await app.client(admin).logs.list({ query })).total;

  test('REL-4.32 REL-4.33 REL-4.34 REL-4.35 REL-4.36 REL-7.56 by type, 0 is all', async () => {
    expect(await total({ type: 0 })).toBe(7);
    expect(await total({ type: 1 })).toBe(1);
    expect(await total({ type: 2 })).toBe(3);
    expect(await total({ type: 3 })).toBe(1);
    expect(await total({ type: 4 })).toBe(1);
    expect(await total({ type: 5 })).toBe(1);
  });

  test('REL-7.57 by username', async () => {
    expect(await total({ username: 'ana' })).toBe(6);
    expect(await total({ username: 'nobody' })).toBe(0);
  });

  test('REL-7.58 by token name, also after a rename', async () => {
    expect(await total({ token_name: 'web' })).toBe(3);
    const { data } = await app.client(bo).tokens.list({ query: {} });
    const token = data[0] ?? expect.unreachable('a token');
    const { day_used: _, month_used: __, recent_quota: ___, ...body } = { ...token, name: 'ci-new' };
    await app.client(bo).tokens.change({ query: {}, body });
    expect(await total({ token_name: 'ci-new' })).toBe(1);
  });

  test('REL-7.59 by model name, several and patterns', async () => {
    expect(await total({ model_name: MODEL })).toBe(2);
    expect(await total({ model_name: `${MODEL},${OTHER_MODEL}` })).toBe(3);
    expect(await total({ model_name: 'gpt-4o%' })).toBe(3);
    expect(await total({ model_name: 'gpt_4o%' })).toBe(0);
  });

  test('an expensive pattern is refused on every endpoint', async () => {
    const pattern = encodeURIComponent('%e'.repeat(17));
    const ask = async (as: Actor, path: string, language: Language) => {
      const { status, body } = await app.request(`${path}=${pattern}`, { as, language });
      return [status, body.success, body.code, body.message];
    };
    for (const what of [
      '?model_name',
      'stat?model_name',
      'histogram?model_name',
      'export?model_name',
      'search?keyword',
    ]) {
      expect(await ask(admin, `/api/log/${what}`, 'zh')).toEqual([
        200,
        false,
        'too_many_wildcards',
        '通配符 % 过多，最多 16 个',
      ]);
      expect(await ask(ana, `/api/log/self/${what}`, 'en')).toEqual([
        200,
        false,
        'too_many_wildcards',
        'Too many % wildcards, at most 16',
      ]);
    }
  });

  test('REL-7.60 REL-7.61 by time', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await total({ start_timestamp: now + 3600 })).toBe(0);
    expect(await total({ end_timestamp: now - 3600 })).toBe(0);
    expect(await total({ start_timestamp: now - 3600, end_timestamp: now + 3600 })).toBe(7);
  });

  test('REL-7.62 by channel', async () => expect(await total({ channel })).toBe(3));

  test('REL-7.63 by group', async () => {
    expect(await total({ group: 'vip' })).toBe(1);
    expect(await total({ group: 'default' })).toBe(4);
  });

  test('by request id', async () => {
    const row = call((await app.client(admin).logs.list({ query: {} })).items, OTHER_MODEL);
    const found = await app.client(admin).logs.list({ query: { request_id: row.request_id } });
    expect(found.items.map(({ id }) => id)).toEqual([row.id]);
  });

  test('forms that send every field empty do not filter', async () => {
    const reply = await app.request(
      '/api/log/?p=1&page_size=10&type=0&username=&token_name=&model_name=&start_timestamp=&end_timestamp=&channel=&group=',
      { as: admin },
    );
    expect((reply.body.data as { total: number }).total).toBe(7);
  });
});

describe('pages', () => {
  test('REL-7.55 REL-7.64 p and page_size page the list; the answer has items, page, page_size and total', async () => {
    const first = await app.client(admin).logs.list({ query: { p: 1, page_size: 3 } });
    const second = await app.client(admin).logs.list({ query: { p: 2, page_size: 3 } });
    expect([first.page, first.page_size, first.total, first.items.length]).toEqual([1, 3, 7, 3]);
    expect([second.page, second.items.length]).toEqual([2, 3]);
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(6);
  });

  test('after_id answers newer rows, before_id older ones', async () => {
    const { items } = await app.client(admin).logs.list({ query: {} });
    const middle = items[3] ?? expect.unreachable('four rows');
    const newer = await app.client(admin).logs.list({ query: { after_id: middle.id } });
    expect(newer.items.every(({ id }) => id > middle.id)).toBe(true);
    expect(newer.items.length).toBe(items.filter(({ id }) => id > middle.id).length);
    const older = await app.client(admin).logs.list({ query: { before_id: middle.id } });
    expect(older.items).toEqual(items.slice(4));
  });
});

describe('stat', () => {
  test('REL-7.65 REL-7.66 quota over the filter, rpm and tpm of the last minute', async () => {
    const rows = (await app.client(admin).logs.list({ query: { type: 2 } })).items;
    const sum = (of: (row: LogView) => number) => rows.reduce((total, row) => total + of(row), 0);
    const stat = await app.client(admin).logs.stat({ query: {} });
    expect(stat.quota).toBe(sum(({ quota }) => quota));
    expect([stat.count, stat.error_count]).toEqual([3, 1]);
    expect(stat.rpm).toBe(3);
    expect(stat.tpm).toBe(sum((row) => row.prompt_tokens + row.completion_tokens));
    const own = await app.client(bo).logs.statSelf({ query: {} });
    const [mine] = (await app.client(bo).logs.listSelf({ query: {} })).items;
    expect([own.quota, own.rpm]).toEqual([mine?.quota ?? -1, 1]);
  });

  test('rpm and tpm use the filter and ignore the range', async () => {
    const past = { start_timestamp: 1, end_timestamp: 2 };
    const stat = await app.client(admin).logs.stat({ query: { ...past, username: 'bo' } });
    expect([stat.quota, stat.rpm]).toEqual([0, 1]);
  });
});

describe('export', () => {
  const text = async (path: string, as: Actor) => {
    const response = await fetch(app.url + path, {
      headers: { Cookie: as.cookie, 'New-Api-User': String(as.id) },
    });
    return { response, text: await response.text() };
  };

  test('CSV has every row of the filter, and no cell that a spreadsheet would execute', async () => {
    await app.store.db
      .insertInto('logs')
      .values({
        created_at: 1000,
        user_id: bo.id,
        username: 'bo',
        type: LOG_TYPE.manage,
        content: '=HYPERLINK("http://evil.example")',
      })
      .execute();
    const { response, text: csv } = await text('/api/log/self/export', bo);
    expect(response.headers.get('content-type')).toStartWith('text/csv');
    expect(response.headers.get('content-disposition')).toContain('attachment');
    const lines = csv.trim().split('\r\n');
    expect(lines.length).toBe(3);
    expect(lines[0]).toContain('model_name');
    expect(lines[0]).not.toContain('channel');
    expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    expect(csv).not.toContain('admin_info');
    await app.store.db.deleteFrom('logs').where('created_at', '=', 1000).execute();
  });

  test('JSONL has a row per line; an export of other users’ rows is audited', async () => {
    const { text: lines } = await text('/api/log/export?format=jsonl&type=2', admin);
    const rows = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogView);
    expect(rows.length).toBe(3);
    expect(rows[0]?.channel_name).toBe('good one');
    const audited = await app.store.db
      .selectFrom('audit')
      .select('action')
      .where('actor_id', '=', admin.id)
      .execute();
    expect(audited.map(({ action }) => action)).toContain('log.export');
  });

  test('thousands of rows are exported completely and in order', async () => {
    const many = await app.actor();
    const values = Array.from({ length: 2500 }, (_, index) => ({
      created_at: 2000 + Math.floor(index / 7),
      user_id: many.id,
      username: many.username,
      type: LOG_TYPE.system,
      content: `row ${index}`,
    }));
    for (let at = 0; at < values.length; at += 500)
      await app.store.db
        .insertInto('logs')
        .values(values.slice(at, at + 500))
        .execute();
    const { text: lines } = await text('/api/log/self/export?format=jsonl', many);
    const contents = lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as LogView).content);
    expect(contents).toEqual(values.map(({ content }) => content).toReversed());
    await app.store.db.deleteFrom('logs').where('user_id', '=', many.id).execute();
  });
});

describe('search and reading by key', () => {
  test('finds by request id, model, token and user; users find only their own', async () => {
    const row = call((await app.client(admin).logs.list({ query: {} })).items, OTHER_MODEL);
    const search = (keyword: string, as = admin) =>
      as === admin
        ? app.client(as).logs.search({ query: { keyword } })
        : app.client(as).logs.searchSelf({ query: { keyword } });
    expect((await search(row.request_id)).map(({ id }) => id)).toEqual([row.id]);
    expect((await search('web')).length).toBe(3);
    expect((await search('bo')).length).toBe(1);
    expect((await search(MODEL, bo)).length).toBe(1);
    expect(await search(row.request_id, bo)).toEqual([]);
  });

  test('the holder of a key reads the token’s rows from any origin', async () => {
    const response = await fetch(`${app.url}/api/log/token?key=${anaKey}`, {
      headers: { Origin: 'https://status.example', 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const { data } = (await response.json()) as { data: LogView[] };
    expect(new Set(models(data))).toEqual(new Set([MODEL, OTHER_MODEL, BROKEN_MODEL]));
    expect(JSON.stringify(data)).not.toContain('admin_info');
    const wrong = await fetch(`${app.url}/api/log/token?key=sk-wrong`);
    expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  });
});

describe('the user card', () => {
  test('REL-7.37 REL-3.135 REL-3.136 REL-3.137 REL-3.138 REL-3.139 an admin reads a user', async () => {
    const card = await app.client(admin).users.read({ params: { id: ana.id } });
    const self = await app.client(ana).users.self();
    expect(card).toMatchObject({
      username: 'ana',
      quota: self.quota,
      used_quota: self.used_quota,
      request_count: 2,
      group: 'default',
    });
    expect(JSON.stringify(card)).not.toContain('password');
  });

  test('REL-6.11 users of the same or a higher role are refused', async () => {
    const colleague = await app.actor({ role: ROLE.admin });
    for (const target of [colleague, root]) {
      const reply = await app.request(`/api/user/${target.id}`, { as: admin });
      expect([reply.status, reply.body.code]).toEqual([403, 'user_level_too_high']);
    }
    expect((await app.client(root).users.read({ params: { id: admin.id } })).id).toBe(admin.id);
  });
});

describe('cleanup', () => {
  test('needs a time, counts first, deletes older rows, is audited and keeps the books balanced', async () => {
    const missing = await app.request('/api/log/', { method: 'DELETE', as: root, body: {} });
    expect(missing.body.code).toBe('log_cleanup_time_required');
    const old = { user_id: bo.id, username: 'bo', type: LOG_TYPE.system };
    await app.store.db
      .insertInto('logs')
      .values(Array.from({ length: 1200 }, (_, index) => ({ ...old, created_at: 5000 + index })))
      .execute();
    const query = { target_timestamp: 5000 + 1100 };
    expect(await app.client(root).logs.cleanupCount({ query })).toMatchObject({ data: 1100, tasks: 0 });
    expect(await app.client(root).logs.cleanup({ query })).toMatchObject({ data: 1100, tasks: 0 });
    expect(await app.client(root).logs.cleanupCount({ query })).toMatchObject({ data: 0, tasks: 0 });

    const everything = { target_timestamp: Math.floor(Date.now() / 1000) + 10 };
    expect(await app.client(root).logs.cleanup({ query: everything })).toMatchObject({ data: 107, tasks: 0 });
    expect(await checkInvariants(app.store)).toEqual([]);
    await relay(anaKey, OTHER_MODEL);
    expect(await checkInvariants(app.store)).toEqual([]);
    const audited = await app.store.db
      .selectFrom('audit')
      .select('after')
      .where('action', '=', 'log.cleanup')
      .orderBy('id')
      .execute();
    expect(audited.map(({ after }) => JSON.parse(after ?? '') as unknown)).toEqual([
      { deleted: 1100, tasks: 0 },
      { deleted: 107, tasks: 0 },
    ]);
  });

  test('an admin who is not the super admin is refused', async () => {
    const reply = await app.request('/api/log/?target_timestamp=1', {
      method: 'DELETE',
      as: admin,
      body: {},
    });
    expect(reply.status).toBe(403);
  });
});
