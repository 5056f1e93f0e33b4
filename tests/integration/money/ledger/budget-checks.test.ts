// What the audit says of budgets, finding by finding: each window against the calls of its hours, from the first hour to the last.
import { expect, test } from 'bun:test';
import { checkBudgets } from '#server/money/audit/budget-checks.ts';
import { UNLOGGED_REFERENCE } from '#server/money/ledger/engine/settle.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const DAY = 86_400;
const HOUR = 3600;
/** A day in the past, whose windows are over for every clock of a test. */
const START = Date.UTC(2026, 0, 20) / 1000;
/** Log rows before this are cleaned away. */
const CLEANED = START - 10 * DAY;

async function openBudgets({ db }: Store) {
  let serial = 0;
  const insertLog = (values: NewRow<'logs'>) => db.insertInto('logs').values(values).execute();
  await db.updateTable('log_cleaning').set({ cleaned_before: CLEANED }).execute();
  return {
    counter: async (organization: number, spent: number, more: Partial<NewRow<'budget_counters'>> = {}) => {
      serial += 1;
      const values = {
        budget_id: 1,
        organization_id: organization,
        value: `${serial}`,
        period: 'day' as const,
        quota: 1000,
        window_start: START,
        window_end: START + DAY,
        created_at: 1,
        spent,
        ...more,
      };
      const row = db.insertInto('budget_counters').values(values).returning('id');
      return (await row.executeTakeFirstOrThrow()).id;
    },
    past: (counter_id: number, start: number, spent: number) =>
      db
        .insertInto('budget_windows')
        .values({ counter_id, window_start: start, window_end: start + DAY, spent })
        .execute(),
    call: (user_id: number, created_at: number, quota: number, ...counters: number[]) =>
      insertLog({ type: 2, user_id, created_at, quota, budgets: counters.join(',') }),
    unlogged: (user_id: number, created_at: number) =>
      db
        .insertInto('ledger')
        .values({
          idem: `unlogged-${user_id}-${created_at}`,
          user_id,
          debit_account: `user:${user_id}`,
          credit_account: 'revenue',
          amount: 0,
          kind: 'use',
          reference: UNLOGGED_REFERENCE,
          created_at,
        })
        .execute(),
  };
}

forEachDatabase((_, open) => {
  test('budgets whose windows have what their calls were charged are right', async () => {
    const store = await open();
    const { counter, past, call, unlogged } = await openBudgets(store);
    const edges = await counter(1, 15);
    await past(edges, START - DAY, 7);
    await call(1, START, 10, edges);
    await call(1, START + DAY - 1, 5, edges);
    await call(1, START - 1, 3, edges);
    await call(1, START - DAY, 4, edges);
    const [one, other] = [await counter(2, 9), await counter(2, 4)];
    for (const quota of [1, 3]) await call(2, START + HOUR, quota, one, other);
    await call(2, START + HOUR, 5, one);
    // Nothing was charged, so no window has to have it.
    await call(2, START + 3 * DAY, 0, one);
    // A call without a row may have spent the rest, also in the first second and the last.
    for (const [organization, at] of [
      [3, START],
      [4, START + DAY - 1],
    ] as const) {
      await call(organization, START + 5, 10, await counter(organization, 12));
      await unlogged(organization, at);
    }
    // Rows of an hour that began before are gone.
    const cleaned = await counter(5, 0);
    await past(cleaned, CLEANED - DAY, 20);
    await call(5, CLEANED - 1, 10, cleaned);
    const brought = await counter(6, 50, { brought: 30, created_at: START });
    await call(6, START + HOUR, 20, brought);
    expect(await checkBudgets(store)).toEqual([]);
  });

  test('every other difference is found, with its organization, its counter and both amounts', async () => {
    const store = await open();
    const { counter, past, call, unlogged } = await openBudgets(store);
    const found = new Map<number, string[]>();
    const expectOf = (organization: number, ...details: string[]) => found.set(organization, details);

    const less = await counter(1, 9);
    await call(1, START, 10, less);
    const more = await counter(2, 11);
    await call(2, START, 10, more);
    // The next window's first second and the last second of the one before are not in it.
    const outside = await counter(3, 0);
    await call(3, START + DAY, 6, outside);
    await call(3, START - 1, 7, outside);
    const before = await counter(4, 0);
    await past(before, START - DAY, 4);
    await call(4, START - DAY, 3, before);
    // Calls without rows, of the hour after and before, and less than what has rows.
    const late = await counter(5, 12);
    await call(5, START, 10, late);
    await unlogged(5, START + DAY);
    await unlogged(5, START - 1);
    const under = await counter(6, 8);
    await call(6, START, 10, under);
    await unlogged(6, START);
    const cleaned = await counter(7, 0);
    await past(cleaned, CLEANED, 20);
    await call(7, CLEANED, 10, cleaned);
    await past(cleaned, CLEANED - DAY, 9);
    await call(7, CLEANED - 1, 10, cleaned);
    const brought = await counter(8, 49, { brought: 30, created_at: START + DAY - 1 });
    await call(8, START, 20, brought);

    expectOf(1, `budget counter ${less} spent 9, calls 10`);
    expectOf(2, `budget counter ${more} spent 11, calls 10`);
    expectOf(
      3,
      `budget counter ${outside} has no window for 6 of ${START + DAY}`,
      `budget counter ${outside} has no window for 7 of ${START - HOUR}`,
    );
    expectOf(4, `budget counter ${before} spent 4, calls 3`);
    expectOf(5, `budget counter ${late} spent 12, calls 10`);
    expectOf(6, `budget counter ${under} spent 8, calls 10`);
    expectOf(
      7,
      `budget counter ${cleaned} spent 20, calls 10`,
      `budget counter ${cleaned} spent 9, calls 10`,
    );
    expectOf(8, `budget counter ${brought} spent 49, calls 50`);
    const breaches = await checkBudgets(store);
    const details = Map.groupBy(breaches, ({ userId }) => userId);
    expect(
      new Map([...details].map(([userId, list]) => [userId, list.map(({ detail }) => detail).toSorted()])),
    ).toEqual(new Map([...found].map(([userId, list]) => [userId, list.toSorted()])));
    expect(new Set(breaches.map(({ invariant }) => invariant)).size).toBe(1);
  });

  test('of many findings a hundred are enough', async () => {
    const store = await open();
    const { counter } = await openBudgets(store);
    for (let organization = 1; organization <= 101; organization += 1) await counter(organization, 1);
    expect(await checkBudgets(store)).toHaveLength(100);
  });
});
