// Re-rating through the API, with its job and its thread: dry run, binding figures, booking, what the user sees, undo.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { ROLE } from '#contract/access.ts';
import type { RerateDetail, RerateState } from '#contract/money/rerating.ts';
import { usageRollup } from '#server/admin/logs/index.ts';
import { costDays } from '#server/admin/usage-api/index.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { forgetSums, sumPeriods } from '#server/money/sums/engine.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { addVersion, allowThePast, DAY, HOUR, makeCall, nowSeconds, startPrices } from './world.ts';

setDefaultTimeout(60_000);

describe('re-rating by the super admin', () => {
  let app: TestApplication;
  let root: Actor;
  let user: Actor;
  let version_id: number;
  const hour = nowSeconds() - (nowSeconds() % HOUR);
  const range = { from_at: hour - 3 * DAY, to_at: hour };
  const reason = 'the price of alpha was wrong';
  beforeAll(async () => {
    app = await startApplication();
    root = await app.login('root', ROOT_PASSWORD);
    user = await app.actor({ quota: 10_000 });
    await allowThePast(app.store);
    version_id = await addVersion(app.store, { ...startPrices, alpha: 50 });
    const call = { userId: user.id, tokenId: 0, channelId: 7, model: 'alpha', group: 'default' } as const;
    const usage = { input: 100, output: 100, cacheRead: 0 };
    for (const daysAgo of [1, 2]) await makeCall(app, { ...call, usage }, startPrices, { daysAgo });
  });
  afterAll(() => app.close());

  async function inState(id: number, state: RerateState): Promise<RerateDetail> {
    for (;;) {
      const run = await app.client(root).rerating.read({ params: { id } });
      if (run.state === state) return run;
      await Bun.sleep(20);
    }
  }
  /** What the sums of past hours and days say that all calls cost. */
  const summed = async () => {
    const { rows } = await sql<{
      quota: number;
    }>`select cast(sum(quota) as bigint) as quota from usage_rollup where scope = 0
      union all select cast(sum(quota) as bigint) from cost_days`.execute(app.store.db);
    return rows.map(({ quota }) => quota);
  };
  const balance = async () => (await app.client(user).wallet.overview()).quota;

  test('a dry run is rated by the job, exported, confirmed by its figures, booked, summed again and undone', async () => {
    const { rerating } = app.client(root);
    const created = await rerating.create({ body: { ...range, version_id, reason } });
    expect(created).toMatchObject({ kind: 'rerate', version_id, reason });
    const ready = await inState(created.id, 'ready');
    expect(ready).toMatchObject({ calls: 2, users: 1, credit: 500, debit: 0, notes: { total: 2, done: 0 } });
    expect(ready.by_user).toEqual([
      { user_id: user.id, username: user.username, calls: 2, before: 1000, after: 500 },
    ]);
    expect(ready.by_day.map(({ before, after }) => after - before)).toEqual([-250, -250]);
    const file = await app.fetch(
      new Request(`${app.url}/api/rerating/${ready.id}/export?format=csv`, {
        headers: { cookie: root.cookie, 'New-Api-User': String(root.id) },
      }),
    );
    expect((await file.text()).trim().split('\n')).toHaveLength(3);
    expect(await balance()).toBe(9000);
    // The application may have summed before the calls were moved into the past, and may be summing now: of two runs one goes on.
    const tomorrow = { store: app.store, now: () => nowSeconds() + DAY };
    for (let round = 0; round < 20 && (await summed()).some((quota) => quota !== 1000); round += 1) {
      await forgetSums(app.store.db, ['rollup', 'costs']);
      for (const sum of [usageRollup, costDays]) await sumPeriods(tomorrow, sum);
    }
    expect(await summed()).toEqual([1000, 1000]);

    const params = { id: ready.id };
    const seen = { calls: 2, credit: 500, debit: 0 };
    const wrong = { as: root, body: { ...seen, credit: 400 } };
    expect(await app.request(`/api/rerating/${ready.id}/apply`, wrong)).toMatchObject({
      status: 409,
      body: { success: false },
    });
    await rerating.apply({ params, body: seen });
    const applied = await inState(ready.id, 'applied');
    expect(applied).toMatchObject({
      notes: { total: 2, done: 2, changed: 0 },
      booked: { wallet: -500, plan: 0, suspense: 0 },
      applied_by: root.id,
    });
    expect(await balance()).toBe(9500);
    expect(await summed()).toEqual([500, 500]);
    const { items } = await app.client(user).wallet.history({ query: {} });
    expect(items.slice(0, 2)).toMatchObject([
      { kind: 'rerate_credit', amount: 250 },
      { kind: 'rerate_credit', amount: 250 },
    ]);
    expect(items[0]?.note).toMatch(/^\d{4}-\d\d-\d\d$/);
    const logged = await app.client(user).logs.listSelf({
      query: { type: 2, start_timestamp: range.from_at, end_timestamp: range.to_at },
    });
    expect(logged.items.map(({ quota }) => quota)).toEqual([250, 250]);
    expect(JSON.parse(logged.items[0]?.other ?? '{}')).toMatchObject({
      rerated: [{ run: ready.id, from: 500, to: 250 }],
    });

    const undo = await rerating.undo({ params, body: { reason: 'it was right' } });
    expect(undo).toMatchObject({ kind: 'undo', undoes_id: ready.id });
    expect(await inState(undo.id, 'applied')).toMatchObject({ booked: { wallet: 500 } });
    expect(await inState(ready.id, 'undone')).toMatchObject({ undone_by_run: undo.id });
    expect(await balance()).toBe(9000);
    expect(await summed()).toEqual([1000, 1000]);
    expect(await checkInvariants(app.store)).toEqual([]);
    const notices = await app.store.db
      .selectFrom('notices')
      .select('event')
      .where('event', '=', 'charges_corrected')
      .execute();
    expect(notices).toHaveLength(2);
    const actions = await app.store.db.selectFrom('audit').select('action').orderBy('id').execute();
    expect(actions.map(({ action }) => action).filter((action) => action.startsWith('rerating.'))).toEqual([
      'rerating.create',
      'rerating.export',
      'rerating.apply',
      'rerating.undo',
    ]);
  });

  test('a range that is open, empty or of an unknown version is refused; a dry run can be discarded', async () => {
    const send = (body: object) => app.request('/api/rerating/', { as: root, body });
    const bodies = [
      { ...range, version_id, reason, to_at: hour + HOUR },
      { ...range, version_id, reason, from_at: hour },
      { ...range, version_id: 999, reason },
      { ...range, version_id, reason, from_at: range.from_at + 1 },
      { ...range, version_id, reason: '' },
    ];
    for (const body of bodies) expect((await send(body)).body.success).toBe(false);
    const { rerating } = app.client(root);
    const { id } = await rerating.create({ body: { ...range, version_id, reason, models: ['beta'] } });
    expect(await inState(id, 'ready')).toMatchObject({ calls: 0, examined: 0 });
    await rerating.discard({ params: { id } });
    expect(await inState(id, 'discarded')).toMatchObject({ by_user: [] });
    expect((await rerating.versions()).map(({ id: version }) => version)).toContain(version_id);
  });

  test('administrators may neither read nor apply', async () => {
    const admin = await app.actor({ role: ROLE.admin });
    for (const path of ['/api/rerating/', '/api/rerating/1', '/api/rerating/1/export'])
      expect((await app.request(path, { as: admin })).status).toBe(403);
    const body = { calls: 2, credit: 500, debit: 0 };
    expect((await app.request('/api/rerating/1/apply', { as: admin, body })).status).toBe(403);
  });
});
