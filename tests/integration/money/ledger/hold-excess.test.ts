// The operator's figures of charges above their holds, and the notices of them: facts of the ledger, right to the unit.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { ROLE } from '#contract/access.ts';
import { marginQuery, type HoldExcess } from '#contract/money/margins.ts';
import { excessOf } from '#server/admin/margins/hold-excess.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { noticeText } from '#server/platform/notices/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { planFirst, subscribe } from '#tests/integration/money/plans/world.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { claim, startClaimingUpstream } from '#tests/support/claiming-upstream.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { answerTo, openCalls, settling } from './settlement-world.ts';
import { callOf, createWorld, outcome, reserve, type World } from './world.ts';

setDefaultTimeout(120_000);

const DAY = 86_400;
const METRICS_TOKEN = 'a-token-for-prometheus';
const dayText = (second: number) => new Date(second * 1000).toISOString().slice(0, 10);
const now = () => Math.floor(Date.now() / 1000);

const textSettings = {
  ServerAddress: 'https://gate.example',
  SystemName: 'Gate',
  QuotaPerUnit: 500_000,
  SiteTimeZone: 'UTC',
};

forEachDatabase((label, open) => {
  describe('charges above their holds', () => {
    let store: Store;
    let world: World;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const excess = async (query: object = {}): Promise<HoldExcess | null> =>
      (await marginReport({ store }, marginQuery.parse(query))).hold_excess;

    /** A settled call of a new user. `extended`: after the hold was taken. */
    async function call({ quota = 10_000, held = 100, extended = 0, charge = 100 }) {
      const userId = await world.user(quota);
      const tokenId = await world.token(userId);
      const { requestId } = await reserve(world.ledger, userId, tokenId, held);
      if (extended > 0) expect(await world.ledger.extend(requestId, extended)).toBe(true);
      await world.ledger.settle(requestId, outcome(charge));
      return { requestId, userId };
    }

    test('are told apart: what the balance paid, and what was not paid at all, to the unit (M11)', async () => {
      expect(await excess()).toEqual({ calls: 0, paid: 0, unpaid: 0, newest: [] });
      await call({ charge: 99 });
      await call({ charge: 100 });
      await call({ extended: 50, charge: 150 });
      expect(await excess()).toMatchObject({ calls: 0, paid: 0, unpaid: 0 });

      const paid = await call({ charge: 101 });
      const grown = await call({ extended: 50, charge: 157 });
      const lost = await call({ quota: 100, charge: 103 });
      const both = await call({ quota: 110, charge: 123 });
      const found = await excess();
      expect(found).toMatchObject({ calls: 4, paid: 1 + 7 + 0 + 10, unpaid: 3 + 13 });
      expect(found?.newest.map(({ created_at: _at, username: _name, ...each }) => each)).toEqual([
        { request_id: both.requestId, user_id: both.userId, paid: 10, unpaid: 13 },
        { request_id: lost.requestId, user_id: lost.userId, paid: 0, unpaid: 3 },
        { request_id: grown.requestId, user_id: grown.userId, paid: 7, unpaid: 0 },
        { request_id: paid.requestId, user_id: paid.userId, paid: 1, unpaid: 0 },
      ]);
      expect(await excess({ user: both.userId })).toMatchObject({ calls: 1, paid: 10, unpaid: 13 });
      const alerts = world.alerts.filter(({ kind }) => kind === 'above_hold' || kind === 'suspense');
      expect(alerts.map((alert) => ('amount' in alert ? alert.amount : 0))).toEqual([1, 7, 3, 13, 10]);
      // The ledger has no channel, supplier, model and group.
      for (const filter of [{ channel: 1 }, { supplier: 1 }, { model: 'm' }, { group: 'default' }])
        expect(await excess(filter)).toBeNull();
    });

    test('count from the hold of each call of a known user too, which has no row (M11)', async () => {
      const userId = await world.user(10_000);
      const tokenId = await world.token(userId);
      for (const charge of [100, 100, 60]) {
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
        await world.ledger.settle(requestId, outcome(charge));
        expect(await excess()).toMatchObject({ calls: 0, paid: 0, unpaid: 0 });
      }
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
      await world.ledger.settle(requestId, outcome(104));
      expect(await excess()).toMatchObject({ calls: 1, paid: 4, unpaid: 0 });
    });

    test('count the parts that a subscription paid, and those of a hold that has its row (M11)', async () => {
      const userId = await world.user(50);
      const tokenId = await world.token(userId);
      const plan = await subscribe(world, userId);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      await world.ledger.settle(requestId, outcome(1020));
      expect(await excess()).toMatchObject({ calls: 1, paid: 720, unpaid: 0 });
      const again = await reserve(world.ledger, userId, tokenId, 10, planFirst(plan));
      await world.ledger.writeHolds();
      await world.ledger.settle(again.requestId, outcome(45));
      // 30 are left of the balance; 10 of them were held.
      expect(await excess()).toMatchObject({ calls: 2, paid: 720 + 20, unpaid: 15 });
    });

    test('belong to the day on which the call ended, also when they are booked later (M11)', async () => {
      const yesterday = now() - DAY;
      const [first, second] = await openCalls(store, [
        { what: '', balance: 500, held: 300, checkpoint: 'none', charge: 420 },
        { what: '', balance: 500, held: 300, checkpoint: 'none', charge: 512 },
      ]);
      if (first === undefined || second === undefined) throw new Error('two scenarios make two calls');
      expect(await answerTo(store, settling(first, { at: yesterday }))).toMatchObject({ aboveHold: 120 });
      expect(await answerTo(store, settling(second))).toMatchObject({ aboveHold: 200, suspense: 12 });
      const day = (at: number) => excess({ from: dayText(at), to: dayText(at) });
      expect(await day(yesterday)).toMatchObject({ calls: 1, paid: 120, unpaid: 0 });
      expect(await day(now())).toMatchObject({ calls: 1, paid: 200, unpaid: 12 });
      expect(await excess()).toMatchObject({ calls: 2, paid: 320, unpaid: 12 });
    });

    /** A call with a hold of 100 that recovery has charged for its progress, while its process lives. */
    async function recovered(quota: number, extended = 0) {
      const userId = await world.user(10_000);
      const tokenId = await world.token(userId);
      const expired = { ...callOf(userId, tokenId, 100), expiresAt: now() - 5 };
      const opening = await world.ledger.open(expired);
      if (!opening.ok) throw new Error(opening.reason);
      if (extended > 0) expect(await world.ledger.extend(opening.call, extended)).toBe(true);
      const progress = { quota, promptTokens: 60, completionTokens: 10, channelId: 7 };
      world.ledger.dispatched(opening.call, progress);
      const sent = store.db.selectFrom('holds').select('id').where('dispatched', '=', 1);
      while ((await sent.executeTakeFirst()) === undefined) await Bun.sleep(20);
      expect(await world.ledger.recover()).toBe(1);
      return opening.call;
    }

    test('count from the extended hold of a call that recovery has charged before it ended', async () => {
      const running = await recovered(50, 60);
      expect(await world.ledger.settle(running, outcome(163))).toMatchObject({ charged: 163 });
      expect(await excess()).toMatchObject({ calls: 1, paid: 3, unpaid: 0 });
    });

    test('are corrected with the charge of recovery, to nothing for a call that failed after all', async () => {
      const [settled, cheap, failed] = [await recovered(150), await recovered(150), await recovered(150)];
      expect(await excess()).toMatchObject({ paid: 150, unpaid: 0 });
      expect(await world.ledger.settle(settled, outcome(120))).toMatchObject({ charged: 120 });
      expect(await excess()).toMatchObject({ paid: 120 });
      expect(await world.ledger.settle(cheap, outcome(80))).toMatchObject({ charged: 80 });
      expect(await excess()).toMatchObject({ paid: 70 });
      await world.ledger.release(failed);
      expect(await excess()).toMatchObject({ paid: 20, unpaid: 0 });
    });

    test('are found without reading the ledger (M11)', async () => {
      const query = excessOf({ first: 0, end: now(), user: undefined });
      const explain = label === 'sqlite' ? sql`explain query plan ` : sql`explain `;
      const plan = await store.db.transaction().execute(async (transaction) => {
        // A small table is cheaper to read as a whole.
        if (label === 'postgres') await sql`set local enable_seqscan = off`.execute(transaction);
        return await sql`${explain}${query}`.execute(transaction);
      });
      expect(JSON.stringify(plan.rows)).toContain('ledger_hold_excess');
    });
  });

  test('operators are told of calls above their holds, paid and unpaid apart, once an hour (M11)', async () => {
    await using upstream = startClaimingUpstream();
    const app = await startApplication({
      database: label,
      settings: { PreConsumedQuota: '0' },
      environment: { METRICS_TOKEN },
    });
    await using closing = new AsyncDisposableStack();
    closing.defer(() => app.close());
    await addChannel(app.store, { base_url: upstream.url, models: ['gpt-4o'] });
    const admin = await app.actor({ role: ROLE.admin });
    /** The upstream has put 50,000 tokens before the prompt: an honest one may, and no hold can know it. */
    async function call(quota: number): Promise<{ id: number; charged: number }> {
      const user = await app.actor({ quota });
      const made = await app.request('/api/token/', { as: user, body: { name: 'k', unlimited_quota: true } });
      const [{ key } = { key: '' }] = made.body.data as { key: string }[];
      const usage = { prompt_tokens: 50_000, completion_tokens: 5, total_tokens: 50_005 };
      const answer = await fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}` },
        body: JSON.stringify({
          model: 'gpt-4o',
          max_tokens: 100,
          messages: [{ role: 'user', content: claim(usage) }],
        }),
      });
      expect([answer.status, await answer.text()][0]).toBe(200);
      const { used_quota } = await app.store.db
        .selectFrom('users')
        .select('used_quota')
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow();
      return { id: user.id, charged: used_quota };
    }
    const worth = Math.round(50_000 * 1.25 + 5 * 5);
    const rich = await call(10_000_000);
    const poor = await call(2000);
    await call(10_000_000);
    await call(2000);
    expect([rich.charged, poor.charged]).toEqual([worth, 2000]);
    const rows = await eventually(
      () => app.store.db.selectFrom('notices').selectAll().where('event', '=', 'hold_exceeded').execute(),
      (all) => all.length >= 2,
    );
    const told = rows
      .map(({ details }) => JSON.parse(details) as { outcome: string; user_id: number; amount: number })
      .toSorted((left, right) => (left.outcome < right.outcome ? -1 : 1));
    const { hold_excess } = await app.client(admin).margins.report({ query: {} });
    const of = (id: number) => hold_excess?.newest.find(({ user_id }) => user_id === id);
    expect(hold_excess?.calls).toBe(4);
    expect(hold_excess?.unpaid).toBe(2 * (worth - 2000));
    // Prometheus is told the same sum, paid and unpaid together, in dollars.
    const metrics = await fetch(`${app.url}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    const [, dollars] =
      /\ntollgate_charged_above_hold_dollars_total (\S+)\n/.exec(await metrics.text()) ?? [];
    expect(Math.round(Number(dollars) * textSettings.QuotaPerUnit * 1000) / 1000).toBe(
      (hold_excess?.paid ?? 0) + (hold_excess?.unpaid ?? 0),
    );
    expect(told).toMatchObject([
      { outcome: 'paid', user_id: rich.id, amount: of(rich.id)?.paid },
      { outcome: 'unpaid', user_id: poor.id, amount: worth - 2000 },
    ]);
    for (const row of rows) {
      const { title, text } = noticeText(row, { settings: textSettings, username: '' });
      for (const words of [title.zh, title.en]) expect(words).not.toBe('hold_exceeded');
      expect(text.en).toContain('/margins');
      expect(text.zh).toContain('/log?request=');
    }
  });
});
