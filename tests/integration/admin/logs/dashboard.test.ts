// The figures of the dashboard through the real server, on both databases: rows by hour and model, their users, the
// longest span, and that a relayed call appears in them at once.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { addChannel } from '#tests/support/channels.ts';
import {
  ApiRefusal,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

// Two databases are started; that is slow on a busy machine.
setDefaultTimeout(60_000);

const HOUR = 3600;
const DAY = 24 * HOUR;
const start = 1_700_000_000 - (1_700_000_000 % HOUR);
const span = { start_timestamp: start, end_timestamp: start + DAY };

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let mock: MockUpstream;
    let alice: Actor;
    let bob: Actor;
    let admin: Actor;
    let tokenId: number;

    beforeAll(async () => {
      mock = startMockUpstream();
      app = await startApplication({ database });
      await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o-mini'] });
      alice = await app.actor({ quota: 10_000_000 });
      bob = await app.actor();
      admin = await app.actor({ role: ROLE.admin });
      const [token] = await app
        .client(alice)
        .tokens.create({ body: { name: 'alpha', unlimited_quota: true } });
      tokenId = token?.id ?? 0;
      const row = (hour: number, user: Actor, token_id: number, model_name: string, quota: number) => ({
        hour: start + hour * HOUR,
        user_id: user.id,
        token_id,
        channel_id: 1,
        model_name,
        count: 2,
        quota,
        prompt_tokens: 30,
        completion_tokens: 12,
        error_count: 1,
        use_time_ms: 4000,
        first_token_ms: 600,
      });
      await app.store.db
        .insertInto('usage_hours')
        .values([
          row(0, alice, tokenId, 'gpt-4o', 100),
          row(0, alice, 0, 'gpt-4o', 10),
          row(1, alice, tokenId, 'gpt-4o-mini', 5),
          row(1, bob, 0, 'gpt-4o', 1000),
          row(-1, alice, tokenId, 'gpt-4o', 7),
          row(30, alice, tokenId, 'gpt-4o', 9),
        ])
        .execute();
    });
    afterAll(async () => {
      await app.close();
      await mock.stop();
    });

    test('a user reads their own rows, by hour and model, summed over all tokens', async () => {
      const rows = await app.client(alice).dashboard.self({ query: span });
      expect(rows).toEqual([
        {
          model_name: 'gpt-4o',
          created_at: start,
          count: 4,
          quota: 110,
          token_used: 84,
          user_id: alice.id,
          username: alice.username,
          prompt_tokens: 60,
          completion_tokens: 24,
          error_count: 2,
          use_time_ms: 8000,
          first_token_ms: 1200,
        },
        expect.objectContaining({ model_name: 'gpt-4o-mini', created_at: start + HOUR, quota: 5 }),
      ]);
    });

    test('the hour in which the span begins is included', async () => {
      const rows = await app
        .client(alice)
        .dashboard.self({ query: { ...span, start_timestamp: start + 1800 } });
      expect(rows).toHaveLength(2);
    });

    test('an admin reads the sum of all users, or one user by name', async () => {
      const all = await app.client(admin).dashboard.all({ query: span });
      expect(
        all.map(({ model_name, created_at, quota, username }) => [model_name, created_at, quota, username]),
      ).toEqual([
        ['gpt-4o', start, 110, ''],
        ['gpt-4o', start + HOUR, 1000, ''],
        ['gpt-4o-mini', start + HOUR, 5, ''],
      ]);
      const one = await app
        .client(admin)
        .dashboard.all({ query: { ...span, username: bob.username.toUpperCase() } });
      expect(one.map(({ quota, user_id, username }) => [quota, user_id, username])).toEqual([
        [1000, bob.id, bob.username],
      ]);
      expect(await app.client(admin).dashboard.all({ query: { ...span, username: 'nobody' } })).toEqual([]);
    });

    test('a user may query a month, not more', async () => {
      const query = { start_timestamp: start, end_timestamp: start + 31 * DAY + HOUR };
      expect(await app.client(alice).dashboard.self({ query })).toHaveLength(3);
      const refusal = await app
        .client(alice)
        .dashboard.self({ query: { ...query, end_timestamp: query.end_timestamp + 1 } })
        .catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ApiRefusal);
      expect((refusal as ApiRefusal).body.code).toBe('time_span_too_long');
      expect(
        await app.client(admin).dashboard.all({ query: { ...query, end_timestamp: start + 60 * DAY } }),
      ).toHaveLength(4);
    });

    test('tokens and users are ranked by their charges', async () => {
      const tokens = await app.client(alice).dashboard.tokens({ query: span });
      expect(tokens.map(({ id, name, quota }) => [id, name, quota])).toEqual([
        [tokenId, 'alpha', 105],
        [0, '', 10],
      ]);
      expect(await app.client(bob).dashboard.tokens({ query: span })).toMatchObject([{ id: 0, quota: 1000 }]);
      const users = await app.client(admin).dashboard.users({ query: span });
      expect(users.map(({ name, quota }) => [name, quota])).toEqual([
        [bob.username, 1000],
        [alice.username, 115],
      ]);
    });

    test('a relayed call is in the figures when it is answered', async () => {
      const now = Math.floor(Date.now() / 1000);
      const before = await app.client(alice).users.self();
      const reply = await app.request('/pg/chat/completions', {
        as: alice,
        body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] },
      });
      expect(reply.status).toBe(200);
      const after = await app.client(alice).users.self();
      const rows = await app
        .client(alice)
        .dashboard.self({ query: { start_timestamp: now - HOUR, end_timestamp: now + HOUR } });
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({
        model_name: 'gpt-4o-mini',
        count: 1,
        quota: before.quota - after.quota,
      });
    });
  });
}
