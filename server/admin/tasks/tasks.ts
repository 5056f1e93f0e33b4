// One page of music and video tasks. With `self` the owner is part of the condition.
import { accountOf, onlyMemberOf, type RequestContext } from '#server/admin/context.ts';
import type { Output } from '#contract/endpoint.ts';
import type { Language } from '#contract/language.ts';
import {
  TASK_PLATFORMS,
  type AdminTaskFilter,
  type TaskAsked,
  type TaskBatch,
  type TaskFilter,
  type TaskPart,
  type tasks,
  type TaskView,
} from '#contract/relay/tasks.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { pageOfTasks, shownColumns, type Whose } from './page.ts';

export interface TaskDependencies {
  store: Store;
  /** The parts of a result, which are not columns. */
  partsOf: (task: Row<'tasks'>) => TaskPart[];
  /** The request, for tasks that can be sent again. */
  askedOf: (task: Row<'tasks'>) => TaskAsked | null;
  /** The counts of a batch; null for other tasks. */
  batchOf: (task: Row<'tasks'>) => TaskBatch | null;
  /** Ids as callers know them, where that is not the upstream's. */
  ids: { idOf(task: Row<'tasks'>): string; holdOf(id: string): string | undefined };
}

type Query = (TaskFilter | AdminTaskFilter) & { p: number; size?: number; page_size?: number };

export function listTasks(dependencies: TaskDependencies, whose: Whose) {
  const { store, ids } = dependencies;
  return async ({ query }: { query: Query }, context: RequestContext): Promise<Output<typeof tasks.list>> => {
    const { rows, names, counts } = await pageOfTasks(store, {
      ...query,
      platforms: query.platform === undefined ? TASK_PLATFORMS : [query.platform],
      ...(whose === 'self' ? { userId: accountOf(context).id, memberId: onlyMemberOf(context) } : {}),
      taskId: query.task_id,
      holdId: ids.holdOf(query.task_id),
      channelId: 'channel_id' in query ? query.channel_id : undefined,
      fromMs: milliseconds(query.start_timestamp),
      untilMs: milliseconds(query.end_timestamp, 999),
    });
    const data = rows.map((row) => taskViewOf(dependencies, row, whose, context.language, names));
    return { data, ...counts };
  };
}

export function taskViewOf(
  { partsOf, askedOf, batchOf, ids }: Omit<TaskDependencies, 'store'>,
  row: Row<'tasks'>,
  whose: Whose,
  language: Language,
  channelNames?: ReadonlyMap<number, string>,
): TaskView {
  return {
    ...shownColumns(row, whose, language, channelNames),
    platform: row.platform,
    model: row.model,
    task_id: ids.idOf(row),
    submit_time: Math.floor(row.submit_ms / 1000),
    start_time: Math.floor(row.start_ms / 1000),
    finish_time: Math.floor(row.finish_ms / 1000),
    parts: partsOf(row),
    asked: askedOf(row),
    batch: batchOf(row),
  };
}

/** The last millisecond of the second with `rest`. */
const milliseconds = (seconds: number | undefined, rest = 0): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000 + rest;
