// The statement that writes the table `ledger_sums`. Apart from kept-sums.ts because SQLite's writer thread loads it, which has no
// use for the query builder.

/** What a row sums. */
export const SUMS = ['entries', 'balance', 'used', 'aff', 'plan', 'dividend'] as const;
export const SUM_COLUMNS = ['month', 'user_id', 'through_id', ...SUMS] as const;

export type SumRow = Record<(typeof SUM_COLUMNS)[number], number>;

/** The procedure of SQLite's writer thread. */
export const WRITE_SUMS_PROCEDURE = 'ledger.writeSums';

export interface SumsToWrite {
  rows: readonly SumRow[];
  /** Rows that reach further than this stay as they are; undefined: every row is replaced. */
  from: number | undefined;
}

/** `source` gives rows of `SUM_COLUMNS`. */
export function writeSumsStatement(source: string, from: number | undefined, limit: string): string {
  const change =
    from === undefined
      ? SUMS.map((name) => `${name} = excluded.${name}`)
      : SUMS.map((name) => `${name} = ledger_sums.${name} + excluded.${name}`);
  const condition = from === undefined ? '' : `where ledger_sums.through_id <= ${limit}`;
  return `insert into ledger_sums (${SUM_COLUMNS.join(', ')}) ${source}
    on conflict (month, user_id) do update set through_id = excluded.through_id, ${change.join(', ')} ${condition}`;
}
