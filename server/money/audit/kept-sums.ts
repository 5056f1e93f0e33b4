// The table `ledger_sums`: how far the ledger is summed, and the sums of each user, in total and by month.
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import type { AuditSource } from './breach.ts';
import {
  SUMS,
  SUM_COLUMNS,
  WRITE_SUMS_PROCEDURE,
  writeSumsStatement,
  type SumRow,
  type SumsToWrite,
} from './sums-statement.ts';
import type { SliceSum } from './sums.ts';

/** Month of the rows that sum everything. */
export const WHOLE_TIME = 0;

export async function readSummedThrough({ db }: AuditSource): Promise<number> {
  const row = await db
    .selectFrom('ledger_sums')
    .select('through_id')
    .where('month', '=', WHOLE_TIME)
    .where('user_id', '=', 0)
    .executeTakeFirst();
  return row?.through_id ?? 0;
}

/** The rows of each month of each user, of each user, and how far the ledger is summed. The sums are sorted by user. */
export function rowsOf(sums: readonly SliceSum[], through_id: number): SumRow[] {
  const rows: SumRow[] = [];
  let whole: SumRow | undefined;
  for (const { charged: _charged, ...sum } of sums) {
    rows.push({ ...sum, through_id });
    if (whole?.user_id === sum.user_id) for (const name of SUMS) whole[name] += sum[name];
    else {
      whole = { ...sum, month: WHOLE_TIME, through_id };
      rows.push(whole);
    }
  }
  rows.push(noSums(0, through_id));
  return rows;
}

export const noSums = (user_id: number, through_id: number): SumRow => ({
  month: WHOLE_TIME,
  user_id,
  through_id,
  entries: 0,
  balance: 0,
  used: 0,
  aff: 0,
  plan: 0,
  dividend: 0,
});

/**
 * Whole or not at all, so the sums and how far they reach change together. With `from` the sums are added, except to rows
 * that include the slice already because another node audits at the same time. On SQLite a procedure of the writer thread
 * does it: a statement of other code would make it write every hold that is in memory first.
 */
export async function writeSums(store: Store, sums: SumsToWrite): Promise<void> {
  if (store.dialect === 'sqlite') {
    await store.writer.run(WRITE_SUMS_PROCEDURE, sums);
    return;
  }
  const arrays = SUM_COLUMNS.map((name) => sql`${sums.rows.map((row) => row[name])}::bigint[]`);
  const statement = sql.raw(writeSumsStatement('select * from new_sums', sums.from, String(sums.from)));
  await sql`with new_sums as (select * from unnest(${sql.join(arrays)})) ${statement}`.execute(store.db);
}
