// The table `ledger_sums`: how far the ledger is summed, and the sums of each user, in total and by month.
import { sql } from 'kysely';
import type { Store } from '#server/store/store.ts';
import type { AuditSource } from './breach.ts';
import type { SliceSum } from './sums.ts';

/** In the order of `sumColumns`. */
export type SumRow = readonly [
  month: number,
  userId: number,
  throughId: number,
  entries: number,
  balance: number,
  used: number,
  aff: number,
  plan: number,
  dividend: number,
];

const sumColumns = [
  'month',
  'user_id',
  'through_id',
  'entries',
  'balance',
  'used',
  'aff',
  'plan',
  'dividend',
] as const;

/** Month of the rows that sum everything. */
export const wholeTime = 0;

/** The procedure of SQLite's writer thread. */
export const writeSumsProcedure = 'ledger.writeSums';

export interface SumsToWrite {
  rows: readonly SumRow[];
  /** Rows that reach further than this stay as they are; undefined: every row is replaced. */
  from: number | undefined;
}

export async function summedThrough({ db }: AuditSource): Promise<number> {
  const row = await db
    .selectFrom('ledger_sums')
    .select('through_id')
    .where('month', '=', wholeTime)
    .where('user_id', '=', 0)
    .executeTakeFirst();
  return row?.through_id ?? 0;
}

/** The rows of each month of each user, of each user, and how far the ledger is summed. The sums are sorted by user. */
export function rowsOf(sums: readonly SliceSum[], through: number): SumRow[] {
  const rows: SumRow[] = [];
  let whole: [...SumRow] | undefined;
  for (const { user_id, month, entries, balance, used, aff, plan, dividend } of sums) {
    rows.push([month, user_id, through, entries, balance, used, aff, plan, dividend]);
    if (whole?.[1] === user_id) {
      whole[3] += entries;
      whole[4] += balance;
      whole[5] += used;
      whole[6] += aff;
      whole[7] += plan;
      whole[8] += dividend;
    } else {
      whole = [wholeTime, user_id, through, entries, balance, used, aff, plan, dividend];
      rows.push(whole);
    }
  }
  rows.push(noSums(0, through));
  return rows;
}

export const noSums = (userId: number, through: number): SumRow => [
  wholeTime,
  userId,
  through,
  0,
  0,
  0,
  0,
  0,
  0,
];

/**
 * Whole or not at all, so the sums and how far they reach change together. With `from` the sums are added, except to rows
 * that include the slice already because another node audits at the same time. On SQLite a procedure of the writer thread
 * does it: a statement of other code would make it write every hold that is in memory first.
 */
export async function writeSums(store: Store, sums: SumsToWrite): Promise<void> {
  if (store.dialect === 'sqlite') {
    await store.writer.run(writeSumsProcedure, sums);
    return;
  }
  const arrays = sumColumns.map((_, index) => sql`${sums.rows.map((row) => row[index])}::bigint[]`);
  const statement = sql.raw(writeSumsStatement('select * from new_sums', sums.from, String(sums.from)));
  await sql`with new_sums as (select * from unnest(${sql.join(arrays)})) ${statement}`.execute(store.db);
}

/** `source` gives rows of `sumColumns`. */
export function writeSumsStatement(source: string, from: number | undefined, limit: string): string {
  const sumsOf = sumColumns.slice(3);
  const change =
    from === undefined
      ? sumsOf.map((name) => `${name} = excluded.${name}`)
      : sumsOf.map((name) => `${name} = ledger_sums.${name} + excluded.${name}`);
  const condition = from === undefined ? '' : `where ledger_sums.through_id <= ${limit}`;
  return `insert into ledger_sums (${sumColumns.join(', ')}) ${source}
    on conflict (month, user_id) do update set through_id = excluded.through_id, ${change.join(', ')} ${condition}`;
}
