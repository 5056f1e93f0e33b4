// Log rows and hourly figures that no settlement writes: of transfers, tests of channels and imports; and the removal of old ones.
import { sql, type Kysely, type Transaction } from 'kysely';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';

/** SQLite accepts 32,766 parameters per statement. */
const ROWS_PER_STATEMENT = 500;

export async function insertLogs(db: Kysely<Schema>, rows: readonly NewRow<'logs'>[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    await db
      .insertInto('logs')
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .execute();
}

/** At most so many of the oldest before a time; how many. */
export async function removeOldestLogs(
  transaction: Transaction<Schema>,
  before: number,
  most: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from logs where created_at < ${before} and id in (
      select id from logs where created_at < ${before} order by created_at, id limit ${most})`.execute(
    transaction,
  );
  return Number(numAffectedRows);
}

const FIGURES = ['count', 'quota', 'prompt_tokens', 'completion_tokens', 'use_time_ms'] as const;

/** Adds to the figures that the hours have already. */
export async function addUsageHours(
  transaction: Transaction<Schema>,
  rows: readonly NewRow<'usage_hours'>[],
): Promise<void> {
  const sums = Object.fromEntries(
    FIGURES.map((name) => [
      name,
      sql<number>`${sql.ref(`usage_hours.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ]),
  );
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    await transaction
      .insertInto('usage_hours')
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict.columns(['hour', 'user_id', 'token_id', 'channel_id', 'model_name']).doUpdateSet(sums),
      )
      .execute();
}
