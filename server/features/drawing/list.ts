// One page of drawing tasks, newest first. With `self` the owner is part of the condition.
import { callerOf, type RequestContext } from '#server/features/context.ts';
import type { AdminDrawingFilter, drawing, DrawingFilter, DrawingView } from '#contract/drawing.ts';
import type { Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { Settings } from '#contract/settings.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

type Forwarding = Pick<Settings, 'MjForwardUrlEnabled' | 'ServerAddress'>;

export interface DrawingDependencies {
  store: Store;
  settings: { readonly current: Forwarding };
  /** Fields of a row that are not columns. */
  facts: (
    settings: Forwarding,
    task: Row<'tasks'>,
  ) => Pick<DrawingView, 'description' | 'state' | 'image_url'>;
}

type Whose = 'all' | 'self';
type Query = (DrawingFilter | AdminDrawingFilter) & { p: number; size?: number; page_size?: number };

export function listDrawings({ store, settings, facts }: DrawingDependencies, whose: Whose) {
  return async (
    { query }: { query: Query },
    context: RequestContext,
  ): Promise<Output<typeof drawing.list>> => {
    const pageSize = pageSizeOf(query);
    const matches = matching(query, whose === 'self' ? callerOf(context).id : undefined);
    const [rows, { total }] = await Promise.all([
      store.db
        .selectFrom('tasks')
        .selectAll()
        .where(matches)
        .orderBy('submit_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset(query.p * pageSize)
        .execute(),
      store.db
        .selectFrom('tasks')
        .select((builder) => builder.fn.countAll<number>().as('total'))
        .where(matches)
        .executeTakeFirstOrThrow(),
    ]);
    return {
      data: rows.map((row) => ({ ...viewOf(row, whose), ...facts(settings.current, row) })),
      total,
      page: query.p,
      page_size: pageSize,
    };
  };
}

function matching(query: Query, userId: number | undefined) {
  return (builder: ExpressionBuilder<Schema, 'tasks'>): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [builder('platform', '=', 'midjourney')];
    if (userId !== undefined) conditions.push(builder('user_id', '=', userId));
    if (query.mj_id !== '') conditions.push(builder('task_id', '=', query.mj_id));
    if (query.action !== undefined) conditions.push(builder('action', '=', query.action));
    if (query.status !== undefined) conditions.push(builder('status', '=', query.status));
    if ('channel_id' in query && query.channel_id !== undefined)
      conditions.push(builder('channel_id', '=', query.channel_id));
    if (query.start_timestamp !== undefined)
      conditions.push(builder('submit_ms', '>=', query.start_timestamp));
    if (query.end_timestamp !== undefined) conditions.push(builder('submit_ms', '<=', query.end_timestamp));
    return builder.and(conditions);
  };
}

function viewOf(row: Row<'tasks'>, whose: Whose): Omit<DrawingView, 'description' | 'state' | 'image_url'> {
  return {
    id: row.id,
    user_id: row.user_id,
    username: whose === 'all' ? row.username : '',
    channel_id: whose === 'all' ? row.channel_id : 0,
    code: row.code,
    action: row.action,
    mj_id: row.task_id,
    prompt: row.prompt,
    prompt_en: row.prompt_en,
    submit_time: row.submit_ms,
    start_time: row.start_ms,
    finish_time: row.finish_ms,
    status: row.status,
    progress: row.progress,
    fail_reason: row.fail_reason,
    quota: row.status === 'FAILURE' ? 0 : row.quota,
  };
}
