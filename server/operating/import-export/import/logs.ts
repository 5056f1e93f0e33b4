// Log rows with their hourly figures. Each page is one transaction with the ledger entries of its charges and the position,
// so that figures, ledger and log agree after every page, and an import that was killed goes on with the next row.
import type { Transaction } from 'kysely';
import { isJsonObject } from '#contract/relay/channel-fields.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { importedLogId, importIdem } from '#server/money/ledger/idempotency.ts';
import { bookPastUsage, readImportedUsage } from '#server/money/ledger/imported.ts';
import { addUsageHours, insertLogs } from '#server/money/ledger/log-rows.ts';
import { isAmount } from '#server/money/quota-units.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import { CellError, Fields } from '#server/operating/import-export/source/fields.ts';
import { pagesOf } from '#server/operating/import-export/source/source.ts';
import { amountOf, type Job } from './job.ts';

const ROWS_PER_PAGE = 2000;
/** Refused calls are counted in another table. */
const LOG_TYPES: readonly number[] = Object.values(LOG_TYPE).filter(
  (type) => type !== LOG_TYPE.all && type !== LOG_TYPE.refused,
);

type LogRow = NewRow<'logs'> & { user_id: number; quota: number; created_at: number; type: number };

export async function bringLogs(job: Job): Promise<void> {
  const { source, store, isDry, importId } = job;
  const position = await store.db
    .selectFrom('imports')
    .select('log_position')
    .where('id', '=', importId)
    .executeTakeFirst();
  const from = position?.log_position ?? 0;
  const used = await readImportedUsage(store.db, importId);
  const total = await source.count('logs');
  let read = 0;
  for await (const rows of pagesOf(source, 'logs', from, ROWS_PER_PAGE)) {
    read += rows.length;
    const last = Number(rows.at(-1)?.['id'] ?? 0);
    const page = rows.flatMap((row) => logRow(job, new Fields(row), { last, used }));
    job.report.count(job.report.brought, 'logs', page.length);
    if (!isDry)
      await store.db.transaction().execute((transaction) => writePage(job, transaction, page, last));
  }
  job.report.count(job.report.found, 'logs', total);
  if (total > read) job.report.count(job.report.already, 'logs', total - read);
}

/** The key of the entry that books a user's charges of a page. */
const pageIdem = (importId: number, last: number, userId: number) =>
  importIdem(importId, `logs:${last}:${userId}`);

/** Longer or larger figures are mistakes of the source. */
const FIGURE_MOST = 1_000_000_000;

interface LogPage {
  /** Id of the last row of the page at the source. */
  last: number;
  /** What each user was charged so far; a sum past the cap cannot be booked. */
  used: Map<number, number>;
}

function logRow(job: Job, fields: Fields, { last, used }: LogPage): LogRow[] {
  const { report, ids, importId } = job;
  const id = fields.text('id');
  const userId = ids.find('users', fields.text('user_id'));
  const type = Number(fields.text('type'));
  const figure = (name: string) => Math.min(FIGURE_MOST, Math.max(0, fields.integer(name)));
  const leave = (reason: string): [] => {
    report.leave('logs', reason, `id ${id}`);
    return [];
  };
  if (userId === undefined) return leave('its user is not brought');
  if (!LOG_TYPES.includes(type)) return leave(`type ${type} has no equal here`);
  try {
    const other = fields.text('other');
    const quota = amountOf(job, fields, 'quota');
    const total = (used.get(userId) ?? 0) + quota;
    if (!isAmount(total)) return leave('the charges of its user are past the cap');
    if (type === LOG_TYPE.consumption) used.set(userId, total);
    return [
      {
        created_at: fields.seconds('created_at'),
        // The charge is booked for the page; the audit finds its entry by this id without the last part.
        request_id: importedLogId(pageIdem(importId, last, userId), id),
        type,
        user_id: userId,
        username: fields.text('username'),
        token_id: ids.find('tokens', fields.text('token_id')) ?? 0,
        token_name: fields.text('token_name'),
        model_name: fields.text('model_name'),
        channel_id: ids.find('channels', fields.text('channel_id')) ?? 0,
        group: fields.text('group'),
        prompt_tokens: figure('prompt_tokens'),
        completion_tokens: figure('completion_tokens'),
        quota,
        use_time: figure('use_time') || Math.round(figure('elapsed_time') / 1000),
        is_stream: fields.flag('is_stream'),
        ip: fields.text('ip'),
        content: fields.text('content'),
        other: isJsonObject(other) ? other : '{}',
      },
    ];
  } catch (error) {
    if (error instanceof CellError) return leave(error.message);
    throw error;
  }
}

async function writePage(
  { importId }: Job,
  transaction: Transaction<Schema>,
  page: readonly LogRow[],
  last: number,
): Promise<void> {
  await insertLogs(transaction, page);
  const calls = page.filter(({ type }) => type === LOG_TYPE.consumption);
  await addHours(transaction, calls);
  for (const [userId, rows] of Map.groupBy(calls, ({ user_id }) => user_id))
    await bookPastUsage(transaction, {
      idem: pageIdem(importId, last, userId),
      userId,
      amount: rows.reduce((sum, { quota }) => sum + quota, 0),
      at: Math.max(...rows.map(({ created_at }) => created_at)),
    });
  await transaction.updateTable('imports').set({ log_position: last }).where('id', '=', importId).execute();
}

async function addHours(transaction: Transaction<Schema>, calls: readonly LogRow[]): Promise<void> {
  const hours = new Map<
    string,
    NewRow<'usage_hours'> & {
      count: number;
      quota: number;
      prompt_tokens: number;
      completion_tokens: number;
      use_time_ms: number;
    }
  >();
  for (const call of calls) {
    const key = {
      hour: call.created_at - (call.created_at % HOUR_SECONDS),
      user_id: call.user_id,
      token_id: call.token_id ?? 0,
      channel_id: call.channel_id ?? 0,
      model_name: call.model_name ?? '',
    };
    const text = JSON.stringify(key);
    const sum = hours.get(text) ?? {
      ...key,
      count: 0,
      quota: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      use_time_ms: 0,
    };
    sum.count += 1;
    sum.quota += call.quota;
    sum.prompt_tokens += call.prompt_tokens ?? 0;
    sum.completion_tokens += call.completion_tokens ?? 0;
    sum.use_time_ms += (call.use_time ?? 0) * 1000;
    hours.set(text, sum);
  }
  await addUsageHours(transaction, [...hours.values()]);
}

/**
 * What a user has used according to the source and no log row shows, because the source keeps no log that long: one entry
 * and one hourly figure, in the hour before the user's first log row. Once for each user.
 */
export async function bringUsedTotals(job: Job): Promise<void> {
  const { source, store, ids, importId, isDry } = job;
  if (isDry) return;
  const logged = await readImportedUsage(store.db, importId);
  for await (const rows of pagesOf(source, 'users')) {
    const users = rows.flatMap((row) => {
      const fields = new Fields(row);
      const sourceId = fields.text('id');
      const userId = ids.find('users', sourceId);
      if (userId === undefined || ids.find('used', sourceId) !== undefined) return [];
      return [{ sourceId, userId, used: usedBy(job, fields) }];
    });
    if (users.length === 0) continue;
    await store.db.transaction().execute(async (transaction) => {
      for (const { sourceId, userId, used } of users) {
        const amount = Math.max(0, used - (logged.get(userId) ?? 0));
        await bringUsedTotal(transaction, { importId, userId, sourceId, amount });
        await ids.add(transaction, 'used', sourceId, userId);
      }
    });
  }
}

function usedBy(job: Job, fields: Fields): number {
  try {
    return amountOf(job, fields, 'used_quota');
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    job.report.conflict(`user ${fields.text('username')}: ${error.message}, brought with 0`);
    return 0;
  }
}

async function bringUsedTotal(
  transaction: Transaction<Schema>,
  {
    importId,
    userId,
    sourceId,
    amount,
  }: { importId: number; userId: number; sourceId: string; amount: number },
): Promise<void> {
  if (amount === 0) return;
  const { first } = await transaction
    .selectFrom('usage_hours')
    .select(({ fn }) => fn.min('hour').as('first'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const { created_at: createdAt } = await transaction
    .selectFrom('users')
    .select('created_at')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const at = first === null ? createdAt : first - HOUR_SECONDS;
  const hour = at - (at % HOUR_SECONDS);
  await bookPastUsage(transaction, { idem: importIdem(importId, `used:${sourceId}`), userId, amount, at });
  const figures = { count: 0, quota: amount, prompt_tokens: 0, completion_tokens: 0, use_time_ms: 0 };
  await addUsageHours(transaction, [
    { hour, user_id: userId, token_id: 0, channel_id: 0, model_name: '', ...figures },
  ]);
}
