// Lists rows: numbered pages, pages behind a row, and what came after a row.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { AdminLogFilter, logs } from '#contract/logs.ts';
import { countOf } from './figures.ts';
import { pageOfRows, positionOf, rowsAfter } from './page.ts';
import type { LogReading } from './reading.ts';
import { scopeOf } from './scope.ts';
import { logViewOf } from './view.ts';

interface ListQuery extends AdminLogFilter {
  p: number;
  size?: number;
  page_size?: number;
  before_id?: number;
  after_id?: number;
}

export function listLogs(reading: LogReading, whose: 'all' | 'self') {
  return async (
    { query }: { query: ListQuery },
    context: RequestContext,
  ): Promise<Output<typeof logs.list>> => {
    const { dependencies } = reading;
    const pageSize = pageSizeOf(query);
    const scope = await scopeOf(dependencies, query, whose === 'self' ? callerOf(context).id : undefined);
    const isNumbered = query.before_id === undefined && query.after_id === undefined;
    const page = isNumbered ? query.p : 1;
    const answer = { page, page_size: pageSize };
    const view = (rows: Parameters<typeof logViewOf>[0][]) =>
      rows.map((row) => logViewOf(row, whose === 'all'));

    if (query.after_id !== undefined) {
      const rows = await rowsAfter(dependencies, scope, query.after_id, pageSize);
      return { ...answer, items: view(rows), total: rows.length, total_exact: rows.length < pageSize };
    }
    const figures = await reading.figures(scope);
    const offset = (page - 1) * pageSize;
    const request = {
      limit: pageSize,
      offset,
      ...(query.before_id === undefined ? {} : { before: await positionOf(dependencies, query.before_id) }),
    };
    const { rows, isComplete } = await pageOfRows(dependencies, scope, figures, request);
    const counted = countOf(figures.hours, scope.type);
    // A page that is not full, but not empty either, is the last one: then the number is certain.
    const isLast = isNumbered && isComplete && rows.length > 0 && rows.length < pageSize;
    return {
      ...answer,
      items: view(rows),
      total: isLast ? offset + rows.length : counted,
      total_exact: isLast || figures.isExact,
    };
  };
}
