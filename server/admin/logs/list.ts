// Lists rows: numbered pages, pages behind a row, and rows newer than a row.
import type { Handler } from '#server/admin/context.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { LOG_TYPE, type logs } from '#contract/admin/logs.ts';
import { countWait, readerOf } from './dependencies.ts';
import { withHolders } from './attribution.ts';
import { countOf } from './figures.ts';
import { mostRows } from './most-rows.ts';
import { canGoAhead, pageOfRows, positionOf, rowsAfter } from './page.ts';
import { withPlanNames } from './plan-names.ts';
import type { LogReading } from './reading.ts';
import { countRefused, readRefusedRows, readRefusedViews } from './refused.ts';
import { ownerOf, scopeOf } from './resolve-scope.ts';
import { logViewOf } from './view.ts';

/** Undefined when it takes longer; the work goes on and its result is cached. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function listLogs(reading: LogReading, whose: 'all' | 'self'): Handler<typeof logs.list> {
  return async ({ query }, context) => {
    const { dependencies } = reading;
    const pageSize = pageSizeOf(query);
    const scope = await scopeOf(dependencies, query, ownerOf(context, whose));
    const isNumbered = query.before_id === undefined && query.after_id === undefined;
    const page = isNumbered ? query.p : 1;
    const answer = { page, page_size: pageSize };
    const { language } = context;
    const reader = readerOf(dependencies, language);
    const view = async (rows: Parameters<typeof logViewOf>[0][]) => {
      const views = rows.map((row) => logViewOf(row, reader, whose === 'all'));
      const held = await withHolders(dependencies.store, rows, views);
      return await withPlanNames(dependencies.store, language, held);
    };

    if (scope.type === LOG_TYPE.refused) {
      const request = {
        limit: pageSize,
        offset: (page - 1) * pageSize,
        beforeId: query.before_id,
        afterId: query.after_id,
      };
      const refused = await readRefusedRows(dependencies, scope, request);
      const items = await readRefusedViews(dependencies, refused, language, scope.requestId);
      const total =
        scope.requestId === undefined ? (await countRefused(dependencies, scope)).rows : items.length;
      return { ...answer, items, total, total_exact: true };
    }
    if (query.after_id !== undefined) {
      const rows = await rowsAfter(dependencies, scope, query.after_id, pageSize);
      return { ...answer, items: await view(rows), total: rows.length, total_exact: rows.length < pageSize };
    }
    const offset = (page - 1) * pageSize;
    const request = {
      limit: pageSize,
      offset,
      ...(query.before_id === undefined ? {} : { before: await positionOf(dependencies, query.before_id) }),
    };
    const counting = reading.figures(scope);
    // A failed count must not fail the page.
    const counted = counting.catch(() => undefined);
    // The first count of a filter can take seconds: the page does not wait for it.
    const early = canGoAhead(scope, request)
      ? await within(counted, countWait(dependencies))
      : await counting;
    const { rows, isComplete } = await pageOfRows(dependencies, scope, early, request);
    // Every call that a caller has an id of is found by it.
    if (scope.requestId !== undefined && scope.type === LOG_TYPE.all && rows.length === 0 && page === 1) {
      const found = await readRefusedRows(dependencies, scope, { limit: pageSize, offset: 0 });
      const items = await readRefusedViews(dependencies, found, language, scope.requestId);
      return { ...answer, items, total: items.length, total_exact: true };
    }
    const figures = early ?? (await within(counted, countWait(dependencies)));
    const total = figures ? countOf(figures.hours, scope.type) : await mostRows(dependencies, scope);
    // A page that is partly filled is the last one, so the total is exact.
    const isLast = isNumbered && isComplete && rows.length > 0 && rows.length < pageSize;
    return {
      ...answer,
      items: await view(rows),
      total: isLast ? offset + rows.length : total,
      total_exact: isLast || (figures?.isExact ?? false),
    };
  };
}
