// States of budgets that the audit must report, each made by direct SQL.
import { UNLOGGED_REFERENCE } from '#server/money/ledger/engine/settle.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { nowSeconds, type Books, type Corruption } from './books.ts';
import { newId } from './world.ts';

const HELD = 'what a budget has on hold is the sum of its holds';
const SPENT = 'what is spent of a budget is the sum of its calls';
const DAY = 86_400;

/** Its window began at midnight of UTC. */
async function counter(
  { store, userId }: Books,
  columns: Partial<NewRow<'budget_counters'>>,
): Promise<number> {
  const start = nowSeconds() - (nowSeconds() % DAY);
  const { id } = await store.db
    .insertInto('budget_counters')
    .values({
      budget_id: 1,
      organization_id: userId,
      value: newId(),
      period: 'day',
      quota: 100_000,
      window_start: start,
      window_end: start + DAY,
      created_at: 1,
      ...columns,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The settled call of 420 counts in it. */
const nameInLog = ({ store, requestId }: Books, budgets: string, columns: { created_at?: number } = {}) =>
  store.db
    .updateTable('logs')
    .set({ budgets, ...columns })
    .where('request_id', '=', requestId)
    .execute();
const midnight = () => nowSeconds() - (nowSeconds() % DAY);

export const budgetCorruptions: Corruption[] = [
  [
    HELD,
    'amounts held of budgets, with holds, without, and with those of another user',
    async (books) => {
      const { store, userId, world } = books;
      // Lawful: the hold of 300.
      const right = await counter(books, { held: 300 });
      await store.db
        .updateTable('holds')
        .set({ budgets: `${right},999` })
        .where('user_id', '=', userId)
        .execute();
      await counter(books, { held: 5 });
      // Lawful: the hold of somebody else is of no counter of this user.
      const other = await counter(books, {});
      const hold = { user_id: await world.user(100), node_id: 'task', epoch: 0, created_at: 1, amount: 10 };
      await store.db
        .insertInto('holds')
        .values({ ...hold, id: newId(), expires_at: nowSeconds() + 600, budgets: String(other) })
        .execute();
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'more spent than was charged',
    async (books) => {
      await nameInLog(books, String(await counter(books, { spent: 421 })));
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'a charge that was not counted',
    async (books) => {
      await nameInLog(books, String(await counter(books, { spent: 419 })));
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'another figure of a window that is over',
    async (books) => {
      const { store } = books;
      const id = await counter(books, { spent: 420 });
      await nameInLog(books, String(id));
      const window = { counter_id: id, window_start: midnight() - DAY, window_end: midnight(), spent: 1 };
      await store.db.insertInto('budget_windows').values(window).execute();
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'a charge of the first hour of a window in the window before',
    async (books) => {
      const id = await counter(books, {});
      const begun = midnight() - DAY;
      await nameInLog(books, String(id), { created_at: begun });
      for (const [start, spent] of [
        [begun - DAY, 420],
        [begun, 0],
      ] as const)
        await books.store.db
          .insertInto('budget_windows')
          .values({ counter_id: id, window_start: start, window_end: start + DAY, spent })
          .execute();
    },
    undefined,
    2,
  ],
  [
    SPENT,
    'what another gateway charged, which was not counted',
    async (books) => {
      // Lawful: counted with the calls, or in the window of the import, which is over.
      const right = await counter(books, { spent: 470, brought: 50, created_at: nowSeconds() });
      await nameInLog(books, String(right));
      const earlier = await counter(books, { brought: 9, created_at: midnight() - 10 });
      const window = {
        counter_id: earlier,
        window_start: midnight() - DAY,
        window_end: midnight(),
        spent: 9,
      };
      await books.store.db.insertInto('budget_windows').values(window).execute();
      await counter(books, { brought: 7, created_at: nowSeconds() });
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'a window lost',
    async (books) => {
      const id = await counter(books, {});
      await nameInLog(books, String(id), { created_at: midnight() - 10 });
      // Of whom it was is known by the row alone.
      await books.store.db
        .updateTable('logs')
        .set({ user_id: books.userId })
        .where('request_id', '=', books.requestId)
        .execute();
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'calls without rows, which may have spent more, and not less',
    async (books) => {
      const { entry, store, userId } = books;
      await entry({ kind: 'use', amount: 0, reference: UNLOGGED_REFERENCE, user_id: userId });
      await nameInLog(books, String(await counter(books, { spent: 430 })));
      // Lawful above; reported: less than the rows that are there.
      const other = await counter(books, { spent: 7 });
      await store.db
        .insertInto('logs')
        .values({ type: 5, created_at: nowSeconds(), user_id: userId, quota: 8, budgets: String(other) })
        .execute();
    },
    undefined,
    1,
  ],
  [
    SPENT,
    'more spent than was charged, beside a call without a row of somebody else',
    async (books) => {
      const { entry, world } = books;
      const user_id = await world.user(100);
      await entry({ kind: 'use', amount: 0, reference: UNLOGGED_REFERENCE, user_id });
      await nameInLog(books, String(await counter(books, { spent: 421 })));
    },
    undefined,
    1,
  ],
];
