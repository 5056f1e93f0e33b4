// The counters of budgets outside of calls, figure by figure: how they begin, what a change of the budget changes, and what is
// granted on top of a window, of the one that runs and of one that is over.
import { expect, test } from 'bun:test';
import { budgetWindow, BUDGETS_OF_UTC } from '#contract/money/budget-windows.ts';
import { changeCounters, grantExtra, openCounter } from '#server/money/ledger/budget-counters.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const now = Date.UTC(2026, 1, 10, 12) / 1000;
const DAY = 86_400;
const today = budgetWindow(BUDGETS_OF_UTC, 'day', now);
const clockAt = (second: number) => ({ zones: BUDGETS_OF_UTC, now: second });
const budget = { id: 7, organization_id: 3, name: 'team', period: 'day', is_hard: 1, quota: 1000 } as const;

const counters = ({ db }: Store) => db.selectFrom('budget_counters').selectAll().orderBy('id').execute();
const windows = ({ db }: Store) =>
  db.selectFrom('budget_windows').selectAll().orderBy('window_start').execute();
const grant = (store: Store, id: number, amount: number, at: number) =>
  store.db
    .transaction()
    .execute((transaction) => grantExtra(store, transaction, id, { amount, clock: clockAt(at) }));

forEachDatabase((_label, open) => {
  test('a counter begins with its window and what was brought, once for each value', async () => {
    const store = await open();
    const first = await openCounter(store.db, budget, 'red', clockAt(now), 250);
    expect(await openCounter(store.db, budget, 'red', clockAt(now + DAY), 999)).toBe(first);
    const other = await openCounter(
      store.db,
      { ...budget, period: 'total', is_hard: 0 },
      'blue',
      clockAt(now),
    );
    expect(await counters(store)).toMatchObject([
      {
        id: first,
        budget_id: 7,
        organization_id: 3,
        value: 'red',
        name: 'team',
        period: 'day',
        is_hard: 1,
        quota: 1000,
        extra: 0,
        spent: 250,
        brought: 250,
        held: 0,
        noticed: 0,
        window_start: today.start,
        window_end: today.end,
        created_at: now,
      },
      {
        id: other,
        value: 'blue',
        period: 'total',
        is_hard: 0,
        spent: 0,
        brought: 0,
        window_start: 0,
        window_end: Number.MAX_SAFE_INTEGER,
      },
    ]);
  });

  test('a change of a budget is one of all its counters, and of those of no other', async () => {
    const store = await open();
    for (const value of ['red', 'blue']) await openCounter(store.db, budget, value, clockAt(now));
    await openCounter(store.db, { ...budget, id: 8 }, '', clockAt(now));
    const change = (changes: Parameters<typeof changeCounters>[2]) =>
      store.db.transaction().execute((transaction) => changeCounters(transaction, 7, changes));
    const terms = async () =>
      (await counters(store)).map(({ name, is_hard, quota }) => [name, is_hard, quota]);
    await change({});
    expect(await terms()).toEqual(Array(3).fill(['team', 1, 1000]));
    await change({ name: 'all' });
    await change({ is_hard: 0 });
    await change({ quota: 0 });
    expect(await terms()).toEqual([
      ['all', 0, 0],
      ['all', 0, 0],
      ['team', 1, 1000],
    ]);
  });

  test('what is granted adds up in the window that runs, until its last second', async () => {
    const store = await open();
    const id = await openCounter(store.db, budget, '', clockAt(now), 250);
    const beside = await openCounter(store.db, { ...budget, id: 8 }, '', clockAt(now), 40);
    await grant(store, id, 30, now);
    await grant(store, id, 12, today.end - 1);
    await grant(store, id + beside + 100, 5, now);
    expect(await counters(store)).toMatchObject([
      { id, extra: 42, spent: 250, window_start: today.start, window_end: today.end },
      { id: beside, extra: 0, spent: 40 },
    ]);
    expect(await windows(store)).toEqual([]);
  });

  test('a grant after the window ends it first, with what was spent in it, also where some was noted before', async () => {
    const store = await open();
    const id = await openCounter(store.db, budget, '', clockAt(now), 250);
    const beside = await openCounter(store.db, { ...budget, id: 8 }, '', clockAt(now), 40);
    await store.db
      .updateTable('budget_counters')
      .set({ extra: 9, held: 70, noticed: 80 })
      .where('id', '=', id)
      .execute();
    const noted = { counter_id: id, window_start: today.start, window_end: today.end, spent: 6 };
    await store.db.insertInto('budget_windows').values(noted).execute();
    await grant(store, id, 30, today.end);
    // What running calls hold stays held.
    expect(await counters(store)).toMatchObject([
      { id, extra: 30, spent: 0, held: 70, noticed: 0, window_start: today.end, window_end: today.end + DAY },
      { id: beside, spent: 40, window_start: today.start },
    ]);
    expect(await windows(store)).toEqual([{ ...noted, spent: 256 }]);
  });
});
