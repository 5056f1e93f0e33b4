// The revenue of corrected calls in the sums of their days (`margin_days`); the cost of a call is not corrected.
import { sql, type Transaction } from 'kysely';
import { spansOf, spanStart } from '#server/money/sums/margin-spans.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { BookedCall, Dialect } from './correction.ts';
import { jsonRows } from './json-rows.ts';
import { paidOf } from './shares.ts';

/**
 * Only rows that exist: calls that are older than these sums are in none of them. The rows of a user are written under the
 * lock of the user, so their order is free.
 */
export async function correctMargins(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  userId: number,
  calls: readonly BookedCall[],
): Promise<void> {
  if (calls.length === 0) return;
  const days = new Map<
    string,
    Record<keyof typeof COLUMNS, string | number> & { quota: number; costed: number }
  >();
  for (const { createdAt, channelId, modelName, group, isCosted, before, after } of calls) {
    const quota = paidOf(after) - paidOf(before);
    const day = spanStart(createdAt, 1);
    const key = JSON.stringify([day, channelId, modelName, group]);
    let row = days.get(key);
    if (row === undefined) {
      row = { day, channel_id: channelId, model_name: modelName, group, quota: 0, costed: 0 };
      days.set(key, row);
    }
    row.quota += quota;
    if (isCosted) row.costed += quota;
  }
  await sql`update margin_days set quota = margin_days.quota + v.quota, costed_quota = costed_quota + v.costed
    from ${jsonRows({ dialect }, COLUMNS, [...days.values()])}
    where margin_days.day = v.day and margin_days.channel_id = v.channel_id
      and margin_days.model_name = v.model_name and margin_days."group" = v."group"
      and margin_days.user_id = ${userId}`.execute(transaction);
  await transaction
    .insertInto('margin_summed')
    .values(
      spansOf([...days.values()].map((row) => Number(row.day))).map((span) => ({ ...span, changes: 1 })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['days', 'day'])
        .doUpdateSet({ is_summed: 0, changes: sql`margin_summed.changes + 1` }),
    )
    .execute();
}

const COLUMNS = {
  day: 'integer',
  channel_id: 'integer',
  model_name: 'text',
  group: 'text',
  quota: 'integer',
  costed: 'integer',
} as const;
