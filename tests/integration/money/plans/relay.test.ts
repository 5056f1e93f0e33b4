// Which calls a subscription pays for, and in which group they are priced and sent.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { age, daySeconds, subscribe, subscriptionRow } from './world.ts';

setDefaultTimeout(60_000);

forEachDatabase((label) => {
  describe('model calls of subscribers', () => {
    let relay: RelayHarness;
    beforeAll(async () => {
      relay = await startRelay({
        database: label,
        settings: {
          GroupRatio: JSON.stringify({ default: 1, vip: 0.5, gone: 1 }),
          UserUsableGroups: JSON.stringify({ default: 'own' }),
          PreConsumedQuota: '10',
        },
      });
      await relay.channel({ name: 'own', groups: ['default'], models: ['gpt-4o', 'o3-mini'] });
      await relay.channel({ name: 'vip', groups: ['vip'], models: ['gpt-4o', 'o3-mini', 'vip-only'] });
      await relay.settings.set('ModelRatio', JSON.stringify({ 'vip-only': 1, 'rerank-1': 1 }), 0);
    });
    afterAll(async () => {
      expect(await checkInvariants(relay.store)).toEqual([]);
      await relay[Symbol.asyncDispose]();
    });

    async function subscriber(change: Parameters<typeof subscribe>[2], token: object = {}) {
      const owner = await relay.token({ quota: 10_000_000, ...token });
      const plan = await subscribe(relay, owner.userId, { period_quota: 1_000_000, ...change });
      await relay.store.changes.announce('users', String(owner.userId));
      return { token: owner, plan };
    }

    const call = async ({ key, userId }: TestToken, model = 'gpt-4o') => {
      const body = { model, messages: [{ role: 'user', content: 'hello' }] };
      const response = await relay.post('/v1/chat/completions', key, body);
      const text = await response.text();
      const log = await relay.lastLog(userId);
      const other = JSON.parse(log.other || '{}') as { plan?: { quota: number }; group_ratio?: number };
      return { status: response.status, text, log, plan: other.plan?.quota ?? 0, ratio: other.group_ratio };
    };

    test('the plan pays in its group; with nothing left the balance pays in the user’s own', async () => {
      const { token, plan } = await subscriber({ group: 'vip', period_quota: 20 });
      const first = await call(token);
      expect(first).toMatchObject({ status: 200, ratio: 0.5, log: { group: 'vip', channel_name: 'vip' } });
      // One call drained it: what the plan did not have came from the balance.
      expect(first.plan).toBe(Math.min(20, first.log.quota));
      while ((await subscriptionRow(relay.store, plan)).quota > 0) await call(token);
      const last = await call(token);
      expect(last).toMatchObject({
        status: 200,
        plan: 0,
        ratio: 1,
        log: { group: 'default', channel_name: 'own' },
      });
    });

    test('a plan whose group has a model of its own opens it only while the plan pays', async () => {
      const { token, plan } = await subscriber({ group: 'vip' });
      expect(await call(token, 'vip-only')).toMatchObject({ status: 200, log: { group: 'vip' } });
      const listed = await (
        await fetch(`${relay.url}/v1/models`, { headers: { Authorization: `Bearer ${token.key}` } })
      ).json();
      expect(JSON.stringify(listed)).toContain('vip-only');
      await age(relay.store, plan, 40 * daySeconds);
      await relay.store.changes.announce('users', String(token.userId));
      expect((await call(token, 'vip-only')).status).not.toBe(200);
    });

    test('only allowed models are paid by the plan, whatever suffix the name has', async () => {
      const { token } = await subscriber({ models: 'o3-mini' });
      expect((await call(token, 'gpt-4o')).plan).toBe(0);
      expect((await call(token, 'o3-mini')).plan).toBeGreaterThan(0);
      expect((await call(token, 'o3-mini-high')).plan).toBeGreaterThan(0);
    });

    test('with the balance first the user’s own group applies, and the plan pays what the balance lacks', async () => {
      const { token } = await subscriber({ group: 'vip' }, { quota: 15 });
      await relay.store.db
        .updateTable('users')
        .set({ wallet_first: 1 })
        .where('id', '=', token.userId)
        .execute();
      await relay.store.changes.announce('users', String(token.userId));
      const { log, plan, ratio } = await call(token);
      expect(ratio).toBe(1);
      expect(plan).toBe(Math.max(0, log.quota - 15));
      expect((await relay.userRow(token.userId)).quota).toBe(Math.max(0, 15 - log.quota));
    });

    test('a token that names a group keeps it', async () => {
      const { token } = await subscriber({ group: 'vip' }, { group: 'default' });
      const { log, plan } = await call(token);
      expect(log.group).toBe('default');
      expect(plan).toBe(log.quota);
    });

    test('a group that lost its ratio or its channel changes nothing', async () => {
      const { token } = await subscriber({ group: 'gone' });
      const { log, plan } = await call(token);
      expect(log.group).toBe('default');
      expect(plan).toBe(log.quota);
    });

    test('of several plans the one that ends first pays, and the next one when it is empty', async () => {
      const { token, plan } = await subscriber({ period_quota: 1_000_000, duration_count: 60 });
      const sooner = await subscribe(relay, token.userId, {
        period_quota: 1,
        duration_count: 10,
        group: 'vip',
      });
      await relay.store.changes.announce('users', String(token.userId));
      const first = await call(token);
      expect(first.log.group).toBe('vip');
      expect((await subscriptionRow(relay.store, sooner)).quota).toBe(0);
      const second = await call(token);
      expect(second.log.group).toBe('default');
      expect(second.plan).toBe(second.log.quota);
      expect((await subscriptionRow(relay.store, plan)).quota).toBe(1_000_000 - second.log.quota);
    });

    test('the playground pays from the plan too', async () => {
      const { token } = await subscriber({ group: 'vip' });
      const { username } = await relay.userRow(token.userId);
      relay.session = { id: token.userId, username, role: 1, group: 'default' };
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
      expect((await relay.post('/pg/chat/completions', '', body)).status).toBe(200);
      const log = await relay.lastLog(token.userId);
      expect(log.group).toBe('vip');
      expect(log.other).toContain('"plan"');
      relay.session = null;
    });

    test('a user without a subscription is asked about none', async () => {
      const token = await relay.token();
      const { log, plan } = await call(token);
      expect([log.group, plan]).toEqual(['default', 0]);
    });
  });
});
