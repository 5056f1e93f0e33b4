// The statement that writes the table `ledger_sums`. Apart from kept-sums.ts because SQLite's writer thread loads it, which has no
// use for the query builder.

/** In the order of `SUM_COLUMNS`. */
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

export const SUM_COLUMNS = [
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

/** The procedure of SQLite's writer thread. */
export const WRITE_SUMS_PROCEDURE = 'ledger.writeSums';

export interface SumsToWrite {
  rows: readonly SumRow[];
  /** Rows that reach further than this stay as they are; undefined: every row is replaced. */
  from: number | undefined;
}

/** `source` gives rows of `SUM_COLUMNS`. */
export function writeSumsStatement(source: string, from: number | undefined, limit: string): string {
  const sumsOf = SUM_COLUMNS.slice(3);
  const change =
    from === undefined
      ? sumsOf.map((name) => `${name} = excluded.${name}`)
      : sumsOf.map((name) => `${name} = ledger_sums.${name} + excluded.${name}`);
  const condition = from === undefined ? '' : `where ledger_sums.through_id <= ${limit}`;
  return `insert into ledger_sums (${SUM_COLUMNS.join(', ')}) ${source}
    on conflict (month, user_id) do update set through_id = excluded.through_id, ${change.join(', ')} ${condition}`;
}
