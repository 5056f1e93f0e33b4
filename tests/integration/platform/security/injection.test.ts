// SQL in every parameter of every endpoint, in credentials and in lists, on both databases: it is always a value.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { z } from 'zod';
import { ROLE } from '#contract/access.ts';
import { api } from '#contract/api.ts';
import type { AnyEndpoint } from '#contract/endpoint.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { isLong } from '#tests/chaos/extent.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

setDefaultTimeout(180_000);

/** Each place gets one of them; the long run sends all to each. */
const PAYLOADS = [
  `' OR '1'='1`,
  `1; DROP TABLE users; --`,
  `x') UNION SELECT password_hash FROM users; --`,
  `id desc; select pg_sleep(60); --`,
];
/** What an answer would contain if SQL of a caller ran, or reached the parser of the database. */
const TRACES = /\$argon2|sqlite_|syntax error|no such column|unterminated quoted|pg_catalog/i;

const endpoints = Object.values(api)
  .flatMap((group) => Object.values(group as Record<string, AnyEndpoint>))
  // These would end the session that calls.
  .filter(
    ({ method, path: route }) =>
      !(route === '/api/user/logout' || (method === 'DELETE' && route === '/api/user/self')),
  );

function keysOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodPipe ? keysOf(schema.in) : [];
}

/** Every place of one endpoint that takes a value: the address, each name of the query, each field of the body. */
function attacksOn({ method, path: route, query, body }: AnyEndpoint, payload: string) {
  const text = encodeURIComponent(payload);
  const address = route.replaceAll(/\{\w+\}/g, '1');
  const calls: { url: string; body?: unknown }[] = [];
  if (route.includes('{')) calls.push({ url: route.replaceAll(/\{\w+\}/g, text) });
  for (const key of [...keysOf(query), 'order', 'sort']) calls.push({ url: `${address}?${key}=${text}` });
  if (method === 'GET') return calls;
  for (const call of calls) call.body = {};
  for (const key of keysOf(body))
    for (const value of [payload, [payload]]) calls.push({ url: address, body: { [key]: value } });
  return calls;
}

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      root = await app.actor({ role: ROLE.root, quota: 1000 });
    });
    afterAll(() => app.close());

    const userIds = () =>
      app.store.db.selectFrom('users').select(['id', 'role', 'status']).orderBy('id').execute();

    test('in every parameter of every endpoint it is refused or a value (plan S7)', async () => {
      const before = await userIds();
      let sent = 0;
      const faults: string[] = [];
      for (const endpoint of endpoints) {
        const attacks = PAYLOADS.flatMap((payload, index) =>
          attacksOn(endpoint, payload).filter((_, place) => isLong || place % PAYLOADS.length === index),
        );
        for (let at = 0; at < attacks.length; at += 20)
          await Promise.all(
            attacks.slice(at, at + 20).map(async ({ url, body }) => {
              const reply = await app.request(url, { method: endpoint.method, as: root, body });
              sent += 1;
              if (reply.status === 500 || TRACES.test(JSON.stringify(reply.body)))
                faults.push(
                  `${endpoint.method} ${url} ${JSON.stringify(body)}: ${reply.status} ${reply.body.message}`,
                );
            }),
          );
      }
      expect(faults).toEqual([]);
      expect(sent).toBeGreaterThan(1000);
      expect(await userIds()).toEqual(before);
      expect(app.logged.filter((line) => /syntax error|no such column/i.test(line))).toEqual([]);
      faultSeen('S7', `${sent} requests with SQL on ${endpoints.length} endpoints: none ran`);
    });

    test('in credentials and in a model call it opens nothing (plan S7)', async () => {
      for (const payload of PAYLOADS) {
        const credentials: Record<string, string>[] = [
          { Authorization: `Bearer ${payload}` },
          { Authorization: payload, 'New-Api-User': payload },
          { Authorization: payload, 'New-Api-User': String(root.id) },
          { Cookie: `sid=${encodeURIComponent(payload)}`, 'New-Api-User': String(root.id) },
          { 'x-api-key': payload },
        ];
        for (const headers of credentials) {
          expect((await app.request('/api/user/self', { headers })).status).toBe(401);
          const call = { headers, body: { model: payload, messages: [] } };
          expect((await app.request('/v1/chat/completions', call)).status).toBe(401);
        }
        const login = await app.request('/api/user/login', {
          body: { username: payload, password: payload },
        });
        expect(login.body.success).toBe(false);
      }
      faultSeen('S7', `${PAYLOADS.length} texts as keys, sessions and names of users: 401`);
    });

    test('a stored name that looks like SQL is found by its text, and nothing else is (plan S7)', async () => {
      const owner = await app.actor();
      // Not one of the texts above, which are names of some rows by now.
      const stored = `' OR 'a'='a`;
      for (const name of ['other', stored]) {
        await app.client(owner).tokens.create({ body: { name } });
        await app.createUser({ username: `${name} ${database}` });
        await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['m'], name });
      }
      const found = async (route: string, as: Actor) => {
        const { body } = await app.request(`${route}?keyword=${encodeURIComponent(stored)}`, { as });
        const { data } = body as { data: { items?: unknown[] } | unknown[] };
        return (Array.isArray(data) ? data : data.items)?.length;
      };
      expect(await found('/api/token/search', owner)).toBe(1);
      expect(await found('/api/user/search', root)).toBe(1);
      expect(await found('/api/channel/search', root)).toBe(1);
      faultSeen('S7', 'a search for SQL finds the one row of that name');
    });
  });
}

/** Places where `sql.raw` takes a text of the source, never one of a caller. */
const RAW_TEXTS_OF_THE_SOURCE = [
  'server/money/audit/kept-sums.ts',
  'server/money/ledger/corrections/json-rows.ts',
  'server/admin/resellers/manage.ts',
  'server/admin/dashboard/rank.ts',
  'server/admin/logs/most-rows.ts',
  'server/admin/used-per-day.ts',
  'server/admin/users/usage.ts',
  'server/platform/store/move/verify.ts',
];

test('no other code makes SQL out of text (plan S7)', () => {
  const root = path.join(import.meta.dir, '../../../..');
  const files = readdirSync(path.join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    // Migrations have no callers; sources are databases that an operator names.
    .filter((name) => !/^(platform\/store\/migrations|operating\/import-export\/source)\//.test(name))
    .map((name) => `server/${name}`);
  expect(files.length).toBeGreaterThan(500);
  const raw = files.filter((name) =>
    /\bsql\.raw\(|\.unsafe\(/.test(readFileSync(path.join(root, name), 'utf8')),
  );
  expect(raw.toSorted()).toEqual(RAW_TEXTS_OF_THE_SOURCE.toSorted());
});
