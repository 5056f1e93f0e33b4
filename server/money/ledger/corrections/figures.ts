// Log rows, hourly figures and channel totals of corrected calls.
import { sql, type Transaction } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { BookedCall, CorrectionNote, Dialect } from './correction.ts';
import { jsonRows } from './json-rows.ts';
import { paidOf } from './shares.ts';

/** What a correction keeps of each log row, and the counters of budgets that it counts in. */
export type LogTexts = Map<number, CorrectedLog>;
export type CorrectedLog = { other: string; budgets: string } & Pick<
  Row<'logs'>,
  'member_id' | 'service_account_id' | 'project_id' | 'tags'
>;

/**
 * The texts of each log row, or undefined if a call has another charge than expected. An undo does not need the rows: days that
 * were removed from the log are undone too.
 */
export async function logsAsExpected(
  transaction: Transaction<Schema>,
  { calls, isUndo }: CorrectionNote,
): Promise<LogTexts | undefined> {
  const times = calls.map(({ createdAt }) => createdAt);
  const rows = await transaction
    .selectFrom('logs')
    .select(['id', 'quota', 'other', 'budgets'])
    .select(['member_id', 'service_account_id', 'project_id', 'tags'])
    .where(
      'id',
      'in',
      calls.map(({ logId }) => logId),
    )
    // Selects the day's partition (PostgreSQL).
    .where('created_at', '>=', Math.min(...times))
    .where('created_at', '<=', Math.max(...times))
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const { logId, before } of calls) {
    const row = found.get(logId);
    if (row === undefined ? !isUndo : row.quota !== paidOf(before)) return undefined;
  }
  return new Map(rows.map((row) => [row.id, row]));
}

export async function correctLogs(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  note: CorrectionNote,
  calls: readonly BookedCall[],
  texts: LogTexts,
): Promise<void> {
  const rows = calls.flatMap((call) => {
    const text = texts.get(call.logId);
    if (text === undefined) return [];
    return [
      {
        id: call.logId,
        at: call.createdAt,
        quota: paidOf(call.after),
        other: corrected(text.other, note, call),
      },
    ];
  });
  if (rows.length === 0) return;
  const times = rows.map(({ at }) => at);
  const columns = { id: 'integer', at: 'integer', quota: 'integer', other: 'text' } as const;
  await sql`update logs set quota = v.quota, other = v.other from ${jsonRows({ dialect }, columns, rows)}
    where logs.id = v.id and logs.created_at = v.at
      and logs.created_at >= ${Math.min(...times)} and logs.created_at <= ${Math.max(...times)}`.execute(
    transaction,
  );
}

/** A correction as the log row shows it; the newest one is the last. */
export interface LoggedCorrection {
  run: number;
  /** Key of the note in the ledger. */
  note: string;
  from: number;
  to: number;
  undo?: true;
}

function corrected(other: string, { idem, runId, isUndo }: CorrectionNote, call: BookedCall): string {
  const fields = JSON.parse(other) as {
    rerated?: LoggedCorrection[];
    plan?: unknown;
  };
  const { subscriptionId, before, after } = call;
  const entry: LoggedCorrection = {
    run: runId,
    note: idem,
    from: paidOf(before),
    to: paidOf(after),
    ...(isUndo ? { undo: true } : {}),
  };
  const { plan: _, ...rest } = fields;
  const plan = after.plan === 0 ? {} : { plan: { subscription: subscriptionId, quota: after.plan } };
  return JSON.stringify({ ...rest, ...plan, rerated: [...(fields.rerated ?? []), entry] });
}

/** In the order of their keys, so that two transactions wait for each other instead of deadlocking. */
export async function correctUsage(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  userId: number,
  calls: readonly BookedCall[],
): Promise<void> {
  const hours = new Map<string, Record<string, string | number> & { quota: number }>();
  const channels = new Map<number, number>();
  for (const { createdAt, tokenId, channelId, modelName, before, after } of calls) {
    const quota = paidOf(after) - paidOf(before);
    const hour = createdAt - (createdAt % HOUR_SECONDS);
    const key = [hour, tokenId, channelId, modelName].join(' ');
    const known = hours.get(key);
    if (known !== undefined) known.quota += quota;
    else
      hours.set(key, {
        hour,
        user_id: userId,
        token_id: tokenId,
        channel_id: channelId,
        model_name: modelName,
        quota,
      });
    if (channelId > 0) channels.set(channelId, (channels.get(channelId) ?? 0) + quota);
  }
  const columns = {
    hour: 'integer',
    user_id: 'integer',
    token_id: 'integer',
    channel_id: 'integer',
    model_name: 'text',
    quota: 'integer',
  } as const;
  await sql`insert into usage_hours (hour, user_id, token_id, channel_id, model_name, quota)
    select v.hour, v.user_id, v.token_id, v.channel_id, v.model_name, v.quota
    from ${jsonRows({ dialect }, columns, [...hours.values()])} where true
    order by 1, 2, 3, 4, 5
    on conflict (hour, user_id, token_id, channel_id, model_name)
    do update set quota = usage_hours.quota + excluded.quota`.execute(transaction);
  const rows = [...channels]
    .map(([id, quota]) => ({ id, quota }))
    .toSorted((one, other) => one.id - other.id);
  if (rows.length === 0) return;
  await sql`update channels set used_quota = case when used_quota + v.quota < 0 then 0 else used_quota + v.quota end
    from ${jsonRows({ dialect }, { id: 'integer', quota: 'integer' }, rows)} where channels.id = v.id`.execute(
    transaction,
  );
}
