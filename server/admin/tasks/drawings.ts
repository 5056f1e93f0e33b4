// One page of drawing tasks. With `self` the owner is part of the condition.
import { accountOf, onlyMemberOf, type RequestContext } from '#server/admin/context.ts';
import type { AdminDrawingFilter, drawing, DrawingFilter, DrawingView } from '#contract/relay/drawing.ts';
import type { Output } from '#contract/endpoint.ts';
import type { Settings } from '#contract/settings.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { pageOfTasks, shownColumns, type Whose } from './page.ts';

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

type Query = (DrawingFilter | AdminDrawingFilter) & { p: number; size?: number; page_size?: number };

export function listDrawings({ store, settings, facts }: DrawingDependencies, whose: Whose) {
  return async (
    { query }: { query: Query },
    context: RequestContext,
  ): Promise<Output<typeof drawing.list>> => {
    const { rows, names, counts } = await pageOfTasks(store, {
      ...query,
      platforms: ['midjourney'],
      ...(whose === 'self' ? { userId: accountOf(context).id, memberId: onlyMemberOf(context) } : {}),
      taskId: query.mj_id,
      channelId: 'channel_id' in query ? query.channel_id : undefined,
      fromMs: query.start_timestamp,
      untilMs: query.end_timestamp,
    });
    const data = rows.map((row) => ({
      ...shownColumns(row, whose, context.language, names),
      code: row.code,
      mj_id: row.task_id,
      prompt_en: row.prompt_en,
      submit_time: row.submit_ms,
      start_time: row.start_ms,
      finish_time: row.finish_ms,
      ...facts(settings.current, row),
    }));
    return { data, ...counts };
  };
}
