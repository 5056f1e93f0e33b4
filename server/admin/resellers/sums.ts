// Sums over records and withdrawals.
import { sql, type RawBuilder } from 'kysely';

/** A sum that is 0 without rows. */
export const sumOf = (expression: RawBuilder<unknown>) =>
  sql<number>`cast(coalesce(sum(${expression}), 0) as bigint)`;

/** What a record adds to the revenue that dividends are computed from. */
export const signedBase = sql<number>`case kind when 'reversal' then -base_quota when 'owed' then 0 else base_quota end`;
