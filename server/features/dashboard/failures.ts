// Why calls failed: what the newest failures of the span say, read the way the log page finds rare rows.
import { callerOf, type RequestContext } from '#contract/context.ts';
import { FAILURES_READ, type dashboard, type FailureView } from '#contract/dashboard.ts';
import type { Input } from '#contract/endpoint.ts';
import { LOG_TYPE } from '#contract/logs.ts';
import { sql } from 'kysely';
import type { LogDependencies } from '#server/features/logs/dependencies.ts';
import { pageOfRows } from '#server/features/logs/page.ts';
import { anySpan, ownSpan, type Span } from './span.ts';
import { userNamed } from './whose.ts';

const MOST_CONTENTS = 40;

export function failuresOfAll(dependencies: LogDependencies) {
  return async ({ query }: Input<typeof dashboard.failures>): Promise<FailureView> => {
    const span = anySpan(query);
    if (query.username === '') return await failuresOf(dependencies, span, undefined);
    const user = await userNamed(dependencies.store, query.username);
    return await failuresOf(dependencies, span, user?.id ?? 0);
  };
}

export function failuresOfSelf(dependencies: LogDependencies) {
  return async (
    { query }: Input<typeof dashboard.failuresSelf>,
    context: RequestContext,
  ): Promise<FailureView> => await failuresOf(dependencies, ownSpan(query), callerOf(context).id);
}

async function failuresOf(
  dependencies: LogDependencies,
  { from, to }: Span,
  userId: number | undefined,
): Promise<FailureView> {
  const total = await countOf(dependencies, { from, to }, userId);
  if (total === 0) return { total, read: 0, contents: [] };
  const scope = { from, to, type: LOG_TYPE.error, ...(userId === undefined ? {} : { userId }) };
  const { rows } = await pageOfRows(dependencies, scope, undefined, { limit: FAILURES_READ, offset: 0 });
  const counts = new Map<string, number>();
  for (const { content } of rows) counts.set(content, (counts.get(content) ?? 0) + 1);
  const contents = [...counts]
    .map(([content, count]) => ({ content, count }))
    .toSorted((left, right) => right.count - left.count);
  const rest = contents.slice(MOST_CONTENTS).reduce((sum, { count }) => sum + count, 0);
  return {
    // Rows of the hour the span begins in may be older than the figures of that hour know.
    total: Math.max(total, rows.length),
    read: rows.length,
    contents: [...contents.slice(0, MOST_CONTENTS), ...(rest > 0 ? [{ content: '', count: rest }] : [])],
  };
}

async function countOf(
  { store }: LogDependencies,
  { from, to }: Span,
  userId: number | undefined,
): Promise<number> {
  const owner = userId === undefined ? sql`` : sql` and user_id = ${userId}`;
  const { rows } = await sql<{ total: number }>`
    select cast(coalesce(sum(error_count), 0) as bigint) as total from usage_hours
    where hour >= ${from} and hour <= ${to}${owner}`.execute(store.db);
  return rows[0]?.total ?? 0;
}
