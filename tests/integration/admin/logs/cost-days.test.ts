// Costs by day are what was charged, whenever a charge is written: a spool that is adopted days later, a correction while a day is summed,
// and a run that was overtaken.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { usageRollup } from '#server/admin/logs/index.ts';
import { costDays, sumChangedDays } from '#server/admin/usage-api/index.ts';
import { forgetSums, positionOf, sumAgain, sumPeriods } from '#server/money/sums/engine.ts';
import { applyAll, openCalls, settling } from '#tests/integration/money/ledger/settlement-world.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

setDefaultTimeout(120_000);
const [HOUR, DAY] = [3600, 86_400];
const PER_DOLLAR = 500_000;
const now = Math.floor(Date.now() / 1000);
const today = now - (now % DAY);
const goOn = async () => true;

describe.each([...databaseLabels])('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  let key: string;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
    key = (await app.client(root).adminKeys.createForSite({ body: { name: 'finance' } })).key;
    // The application's own runs are over, so that those of the tests are the only ones.
    for (const name of ['cost-days', 'usage-rollup', 'margin-sums'])
      await eventually(
        async () => (await app.client(root).jobs.list()).find((job) => job.name === name)?.state,
        (state) => state === 'ok',
      );
  });
  afterAll(() => app.close());

  /** A charge as a spool brings it: settled now, ended then. */
  async function charge(at: number, amount: number): Promise<void> {
    const [call] = await openCalls(app.store, [
      { what: '', balance: 10_000, held: 1000, checkpoint: 10, charge: amount },
    ]);
    if (call === undefined) throw new Error('no call');
    await applyAll(app.store, [settling(call, { at })]);
  }

  /** As the API answers. */
  async function reported(day: number): Promise<number> {
    const query = `start_time=${day}&end_time=${day + DAY}&bucket_width=1d&limit=1`;
    const response = await fetch(`${app.url}/v1/organization/costs?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { data } = (await response.json()) as { data: { results: { amount: { value: number } }[] }[] };
    return data
      .flatMap(({ results }) => results)
      .reduce((sum, { amount }) => sum + Math.round(amount.value * PER_DOLLAR), 0);
  }
  async function kept(day: number): Promise<number> {
    const rows = await app.store.db.selectFrom('cost_days').select('quota').where('day', '=', day).execute();
    return rows.reduce((sum, { quota }) => sum + quota, 0);
  }
  async function rolled(day: number): Promise<number> {
    const rows = await app.store.db
      .selectFrom('usage_rollup')
      .select('quota')
      .where('scope', '=', 0)
      .where('hour', '>=', day)
      .where('hour', '<', day + DAY)
      .execute();
    return rows.reduce((sum, { quota }) => sum + quota, 0);
  }

  test('a charge of ten days ago is in the costs at once, and in the sums after the next run', async () => {
    const day = today - 10 * DAY;
    await charge(day + 5 * HOUR, 400);
    // So that the sums have passed the day.
    await charge(today - 3 * DAY, 7);
    for (const sum of [costDays, usageRollup]) await sumPeriods({ store: app.store }, sum);
    await sumChangedDays(app.store, goOn, async () => {});
    expect([await reported(day), await kept(day), await rolled(day)]).toEqual([400, 400, 400]);
    await charge(day + 5 * HOUR + 60, 30);
    await charge(day - DAY, 2);
    expect([await kept(day), await kept(day - DAY)]).toEqual([400, 0]);
    expect([await reported(day), await reported(day - DAY)]).toEqual([430, 2]);
    expect(await positionOf(app.store, 'costs')).toBeGreaterThan(day + 2 * DAY);
    await app.client(root).jobs.run({ params: { name: 'cost-days' } });
    const both = async () => [await kept(day), await kept(day - DAY)];
    expect(await eventually(both, (found) => found.join() === '430,2')).toEqual([430, 2]);
    expect([await reported(day), await reported(day - DAY)]).toEqual([430, 2]);
    // The log's own sums, too, which have no other way to notice it.
    expect([await rolled(day), await rolled(day - DAY)]).toEqual([430, 2]);
    // Nothing is left to do: the next run sums no old day again.
    const again = () => sumChangedDays(app.store, goOn, async () => {});
    expect(await eventually(again, (count) => count === 0)).toBe(0);
  });

  test('a correction while a run sums its day: the run neither replaces it nor hides it', async () => {
    const day = today - 20 * DAY;
    await charge(day, 100);
    await forgetSums(app.store.db, ['costs']);
    let isCorrected = false;
    // The pause comes after the run has read and written; the correction and its own sum fall into it.
    await sumPeriods({ store: app.store }, costDays, async () => {
      if (!isCorrected && (await kept(day)) === 100) {
        isCorrected = true;
        await charge(day + 60, 11);
        await sumAgain(app.store, costDays, [day], new AbortController().signal);
      }
      return true;
    });
    expect(isCorrected).toBe(true);
    expect(await reported(day)).toBe(111);
    await sumChangedDays(app.store, goOn, async () => {});
    expect([await kept(day), await reported(day)]).toEqual([111, 111]);
  });

  test('a run that another one has overtaken in the middle of a day writes nothing any more', async () => {
    const day = today - 30 * DAY;
    const { db } = app.store;
    // Of more than one statement.
    const users = Array.from({ length: 600 }, (_, index) => 1_000_000 + index);
    const call = { hour: day, token_id: 0, channel_id: 0, model_name: 'm', count: 1, quota: 1 };
    await db
      .insertInto('usage_hours')
      .values(users.map((user_id) => ({ ...call, user_id })))
      .execute();
    let isOvertaken = false;
    await costDays.sum(app.store, day, async () => {
      if (isOvertaken) return true;
      isOvertaken = true;
      expect(await kept(day)).toBeLessThan(600);
      await db
        .updateTable('usage_hours')
        .set({ quota: 2 })
        .where('hour', '=', day)
        .where('user_id', 'in', users.slice(-200))
        .execute();
      await costDays.sum(app.store, day, goOn);
      return true;
    });
    expect(isOvertaken).toBe(true);
    expect([await kept(day), await reported(day)]).toEqual([800, 800]);
  });
});
