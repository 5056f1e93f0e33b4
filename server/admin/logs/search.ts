// Search by one keyword: request id, model, token name or username.
import type { Handler } from '#server/admin/context.ts';
import type { AdminLogFilter } from '#contract/admin/log-filter.ts';
import { LOG_SEARCH_ROWS, LOG_TYPE, type logs } from '#contract/admin/logs.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { withHolders } from './attribution.ts';
import { readerOf } from './dependencies.ts';
import { pageOfRows } from './page.ts';
import { withPlanNames } from './plan-names.ts';
import type { LogReading } from './reading.ts';
import { readRefusedRows, readRefusedViews } from './refused.ts';
import { ownerOf, scopeOf, type LogOwner } from './resolve-scope.ts';
import { logViewOf } from './view.ts';

export function searchLogs(reading: LogReading, whose: 'all' | 'self'): Handler<typeof logs.search> {
  return async ({ query: { keyword } }, context) => {
    const owner = ownerOf(context, whose);
    const reader = readerOf(reading.dependencies, context.language);
    const { store } = reading.dependencies;
    const view = async (rows: readonly Row<'logs'>[]) => {
      const views = rows.map((row) => logViewOf(row, reader, whose === 'all'));
      return await withPlanNames(store, context.language, await withHolders(store, rows, views));
    };
    const all = { type: LOG_TYPE.all };
    if (keyword === '') return await view(await newest(reading, all, owner));
    const byId = await newest(reading, { ...all, request_id: keyword }, owner);
    if (byId.length > 0) return await view(byId);
    const scope = await scopeOf(reading.dependencies, { ...all, request_id: keyword }, owner);
    const refused = await readRefusedRows(reading.dependencies, scope, { limit: LOG_SEARCH_ROWS, offset: 0 });
    if (refused.length > 0)
      return await readRefusedViews(reading.dependencies, refused, context.language, keyword);

    const meanings: AdminLogFilter[] = [
      { ...all, model_name: keyword },
      { ...all, token_name: keyword },
      ...(whose === 'all' ? [{ ...all, username: keyword }] : []),
    ];
    const found = new Map<number, Row<'logs'>>();
    for (const meaning of meanings)
      for (const row of await newest(reading, meaning, owner)) found.set(row.id, row);
    const rows = [...found.values()].toSorted(
      (left, right) => right.created_at - left.created_at || right.id - left.id,
    );
    return await view(rows.slice(0, LOG_SEARCH_ROWS));
  };
}

export async function newest(
  reading: LogReading,
  filter: AdminLogFilter,
  owner: LogOwner | undefined,
): Promise<Row<'logs'>[]> {
  const scope = await scopeOf(reading.dependencies, filter, owner);
  const figures = await reading.figures(scope);
  const request = { limit: LOG_SEARCH_ROWS, offset: 0 };
  return (await pageOfRows(reading.dependencies, scope, figures, request)).rows;
}
