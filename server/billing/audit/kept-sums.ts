// The table `ledger_sums`: how far the ledger is summed, and the sums of each user, in total and by month.
import type { Insertable, Kysely } from 'kysely';
import type { Schema } from '#server/store/schema.ts';
import type { AuditSource, Slice } from './breach.ts';
import type { SliceSum } from './sums.ts';

type SumRow = Insertable<Schema['ledger_sums']>;

/** One statement writes a slice; SQLite binds 32,766 values at most. */
export const mostRowsPerWrite = 4000;

/** Month of the rows that sum everything. */
export const wholeTime = 0;

export async function summedThrough({ db }: AuditSource): Promise<number> {
  const row = await db
    .selectFrom('ledger_sums')
    .select('through_id')
    .where('month', '=', wholeTime)
    .where('user_id', '=', 0)
    .executeTakeFirst();
  return row?.through_id ?? 0;
}

/** Every column is named: Kysely would insert NULL for one that only some rows name. */
const emptySum = { month: wholeTime, entries: 0, balance: 0, used: 0, aff: 0 };

/** The rows that a slice adds to: each month of each user, each user, and how far the ledger is summed. */
export function rowsOf(sums: readonly SliceSum[], through: number): SumRow[] {
  const rows: SumRow[] = [];
  let whole: SumRow | undefined;
  for (const { user_id, month, entries, balance, used, aff } of sums) {
    const row = { month, user_id, through_id: through, entries, balance, used, aff };
    rows.push(row);
    if (whole?.user_id === user_id) add(whole, row);
    else {
      whole = { ...row, month: wholeTime };
      rows.push(whole);
    }
  }
  rows.push({ ...emptySum, user_id: 0, through_id: through });
  return rows;
}

function add(to: SumRow, { entries = 0, balance = 0, used = 0, aff = 0 }: SumRow): void {
  to.entries = (to.entries ?? 0) + entries;
  to.balance = (to.balance ?? 0) + balance;
  to.used = (to.used ?? 0) + used;
  to.aff = (to.aff ?? 0) + aff;
}

/**
 * One statement, so the sums and how far they reach change together. Rows that include the slice already, by another node
 * that audits at the same time, stay as they are. Without raw SQL: on SQLite a statement with raw SQL writes every hold
 * that is in memory first.
 */
export async function addSums(db: Kysely<Schema>, rows: readonly SumRow[], { from }: Slice): Promise<void> {
  await db
    .insertInto('ledger_sums')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['month', 'user_id'])
        .doUpdateSet((build) => ({
          through_id: build.ref('excluded.through_id'),
          entries: build('ledger_sums.entries', '+', build.ref('excluded.entries')),
          balance: build('ledger_sums.balance', '+', build.ref('excluded.balance')),
          used: build('ledger_sums.used', '+', build.ref('excluded.used')),
          aff: build('ledger_sums.aff', '+', build.ref('excluded.aff')),
        }))
        .where('ledger_sums.through_id', '<=', from),
    )
    .execute();
}

/** Replaces the sums of users by ones that were read anew, from the first row on. */
export async function replaceSums(
  db: Kysely<Schema>,
  userIds: readonly number[],
  { sums, through }: { sums: readonly SliceSum[]; through: number },
): Promise<void> {
  const known = new Set(sums.map(({ user_id }) => user_id));
  const without = userIds.filter((id) => !known.has(id));
  const rows = [
    ...rowsOf(sums, through),
    ...without.map((user_id) => ({ ...emptySum, user_id, through_id: through })),
  ];
  await db
    .insertInto('ledger_sums')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['month', 'user_id']).doUpdateSet((build) => ({
        entries: build.ref('excluded.entries'),
        balance: build.ref('excluded.balance'),
        used: build.ref('excluded.used'),
        aff: build.ref('excluded.aff'),
      })),
    )
    .execute();
}
