// One page of tasks of some platforms, newest first. With a user id only that user's.
import { wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export type Whose = 'all' | 'self';

/** Times in milliseconds. */
export interface TaskQuery {
  p: number;
  size?: number;
  page_size?: number;
  platforms: readonly string[];
  userId?: number | undefined;
  /** Of an organization only the tasks of this member. */
  memberId?: number | undefined;
  taskId: string;
  /** Instead of `taskId`. */
  holdId?: string | undefined;
  action?: string | undefined;
  status?: string | undefined;
  channelId: number | undefined;
  fromMs: number | undefined;
  untilMs: number | undefined;
}

export async function pageOfTasks({ db }: Store, query: TaskQuery) {
  const pageSize = pageSizeOf(query);
  const matches = matching(query);
  const [rows, { total }] = await Promise.all([
    db
      .selectFrom('tasks')
      .selectAll()
      .where(matches)
      .orderBy('submit_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(pageSize)
      .offset(query.p * pageSize)
      .execute(),
    db
      .selectFrom('tasks')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .where(matches)
      .executeTakeFirstOrThrow(),
  ]);
  const names = await channelNames(db, rows);
  return { rows, names, counts: { total, page: query.p, page_size: pageSize } };
}

async function channelNames(
  db: Store['db'],
  rows: readonly Row<'tasks'>[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(rows.map(({ channel_id }) => channel_id))].filter((id) => id > 0);
  if (ids.length === 0) return new Map();
  const channels = await db.selectFrom('channels').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(channels.map(({ id, name }) => [id, name]));
}

function matching(query: TaskQuery) {
  return (builder: ExpressionBuilder<Schema, 'tasks'>): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [builder('platform', 'in', [...query.platforms])];
    if (query.userId !== undefined) conditions.push(builder('user_id', '=', query.userId));
    if (query.memberId !== undefined) conditions.push(builder('member_id', '=', query.memberId));
    if (query.holdId !== undefined) conditions.push(builder('hold_id', '=', query.holdId));
    else if (query.taskId !== '') conditions.push(builder('task_id', '=', query.taskId));
    if (query.action !== undefined) conditions.push(builder('action', '=', query.action));
    if (query.status !== undefined) conditions.push(builder('status', '=', query.status));
    if (query.channelId !== undefined) conditions.push(builder('channel_id', '=', query.channelId));
    if (query.fromMs !== undefined) conditions.push(builder('submit_ms', '>=', query.fromMs));
    if (query.untilMs !== undefined) conditions.push(builder('submit_ms', '<=', query.untilMs));
    return builder.and(conditions);
  };
}

/** Columns that every list of tasks shows. `names`: of the channels. */
export function shownColumns(
  row: Row<'tasks'>,
  whose: Whose,
  language: Language,
  names: ReadonlyMap<number, string> = new Map(),
) {
  return {
    id: row.id,
    user_id: row.user_id,
    username: whose === 'all' ? row.username : '',
    channel_id: whose === 'all' ? row.channel_id : 0,
    channel_name: whose === 'all' ? (names.get(row.channel_id) ?? '') : '',
    action: row.action,
    prompt: row.prompt,
    status: row.status,
    progress: row.progress,
    fail_reason: wordsIn(language, row.fail_reason),
    // A failure may be charged for what was finished before it.
    quota: row.status === 'FAILURE' && row.money !== 'settled' ? 0 : row.quota,
    held: row.status !== 'FAILURE' && row.money === 'open',
  };
}
