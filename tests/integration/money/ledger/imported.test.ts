// Money of another gateway, figure by figure: what was paid there, what was used there, and what was left.
import { expect, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { orderIdem, REDEEM_KIND } from '#server/money/ledger/idempotency.ts';
import {
  bookOpeningBalance,
  bookPastEntry,
  bookPastUsage,
  readImportedUsage,
} from '#server/money/ledger/imported.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

async function addUser({ db }: Store, username: string): Promise<number> {
  const values = { username, aff_code: username };
  const { id } = await db.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

forEachDatabase((_label, open) => {
  test('the balance of a user is exactly the opening entry, and the past passes by it', async () => {
    const store = await open();
    const [ann, bob] = [await addUser(store, 'ann'), await addUser(store, 'bob')];
    const within = <T>(work: (transaction: Parameters<typeof bookPastEntry>[0]) => Promise<T>) =>
      store.db.transaction().execute(work);
    const opening = { importId: 4, sourceId: '17', quota: 700, affQuota: 30, affHistoryQuota: 90 };
    await within((transaction) =>
      bookOpeningBalance(transaction, store.dialect, { ...opening, userId: ann }),
    );
    // Nothing to open: what was earned by invites is more than what is left of it.
    const nothing = { ...opening, sourceId: '18', quota: 0, affQuota: 0, affHistoryQuota: 5 };
    await within((transaction) =>
      bookOpeningBalance(transaction, store.dialect, { ...nothing, userId: bob }),
    );
    const past = {
      userId: ann,
      amount: 1000,
      from: 'world:redeem',
      kind: REDEEM_KIND,
      reference: 'x',
      at: 55,
    };
    await within((transaction) => bookPastEntry(transaction, { ...past, idem: orderIdem('old') }));
    const used = (userId: number, idem: string, amount: number) =>
      within((transaction) => bookPastUsage(transaction, { idem, userId, amount, at: 66 }));
    await used(ann, 'import:4:logs:1', 200);
    await used(ann, 'import:4:logs:2', 50);
    await used(bob, 'import:4:logs:3', 9);
    await used(bob, 'import:40:logs:1', 1);

    const users = await store.db
      .selectFrom('users')
      .select(['id', 'quota', 'used_quota', 'aff_quota', 'aff_history_quota', 'request_count'])
      .where('id', 'in', [ann, bob])
      .orderBy('id')
      .execute();
    expect(users).toEqual([
      { id: ann, quota: 700, used_quota: 250, aff_quota: 30, aff_history_quota: 90, request_count: 0 },
      { id: bob, quota: 0, used_quota: 10, aff_quota: 0, aff_history_quota: 5, request_count: 0 },
    ]);
    const entries = await store.db.selectFrom('ledger').selectAll().orderBy('id').execute();
    const moved = entries.map((row) => [
      row.idem,
      row.debit_account,
      row.credit_account,
      row.amount,
      row.kind,
    ]);
    expect(moved).toEqual([
      ['import:4:user:17', 'world:import', `user:${ann}`, 700, 'import'],
      ['import:4:aff:17', 'world:import', `aff:${ann}`, 30, 'import'],
      ['order:old', 'world:redeem', 'world:import', 1000, REDEEM_KIND],
      ['import:4:logs:1', 'world:import', 'revenue', 200, 'use'],
      ['import:4:logs:2', 'world:import', 'revenue', 50, 'use'],
      ['import:4:logs:3', 'world:import', 'revenue', 9, 'use'],
      ['import:40:logs:1', 'world:import', 'revenue', 1, 'use'],
    ]);
    expect(entries.slice(2).map(({ created_at }) => created_at)).toEqual([55, 66, 66, 66, 66]);
    expect(await readImportedUsage(store.db, 4)).toEqual(
      new Map([
        [ann, 250],
        [bob, 9],
      ]),
    );
    // What an order, a code and the hours of the log say of it the import writes beside.
    const found = new Set((await checkInvariants(store)).map(({ invariant }) => invariant));
    expect([...found].toSorted()).toEqual([
      'the hourly figures are the sum of the charges',
      'used codes and redemptions match one to one',
    ]);
  });
});
