// Causes of failed calls, from the newest failures of the span. The hourly figures say which hours of which users hold a
// failure, so only those are read.
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { publicContent, REFUSED } from '#contract/relay/failure-cause.ts';
import { FAILURES_READ, type dashboard, type FailureView } from '#contract/admin/dashboard.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { hoursTable, ownerIn, ownsHour, ownsRow, type FigureOwner } from './owner.ts';
import { anySpan, ownSpan, type Span } from './span.ts';
import { userNamed } from './find-user.ts';

/** Upper bound of (user, hour) pairs that are read. */
const MOST_CELLS = 300;
const MOST_CONTENTS = 40;

export function failuresOfAll(store: Store): Handler<typeof dashboard.failures> {
  return async ({ query }) => {
    const span = anySpan(query);
    if (query.username === '') return await failuresOf(store, span, undefined);
    const user = await userNamed(store, query.username);
    return await failuresOf(store, span, { userId: user?.id ?? -1 });
  };
}

export function failuresOfSelf(store: Store): Handler<typeof dashboard.failuresSelf> {
  return async ({ query }, context) => {
    const view = await failuresOf(store, ownSpan(query), ownerIn(context));
    return { ...view, contents: shownToUser(view.contents) };
  };
}

interface Cell {
  hour: number;
  user_id: number;
  errors: number;
}

async function failuresOf(store: Store, span: Span, asked: FigureOwner | undefined): Promise<FailureView> {
  const owner = asked === undefined ? sql`` : sql` and ${ownsHour(asked)}`;
  const inSpan = sql`hour >= ${span.from} and hour <= ${span.to}${owner} and error_count > 0`;
  const hours = sql.table(hoursTable(asked));
  const totals = await sql<{ total: number }>`
    select cast(coalesce(sum(error_count), 0) as bigint) as total from ${hours} where ${inSpan}`.execute(
    store.db,
  );
  const refused = await readRefused(store, span, asked);
  const refusedCalls = refused.reduce((sum, { count }) => sum + count, 0);
  const total = totals.rows[0]?.total ?? 0;
  if (total === 0)
    return { total: refusedCalls, refused: refusedCalls, read: refusedCalls, contents: refused };
  const { rows: cells } = await sql<Cell>`
    select hour, user_id, cast(sum(error_count) as bigint) as errors from ${hours} where ${inSpan}
    group by hour, user_id order by hour desc, user_id limit ${MOST_CELLS}`.execute(store.db);
  const logged = await contentsOf(store, span, enough(cells), asked);
  const contents = [...logged, ...refused].toSorted((left, right) => right.count - left.count);
  const read = contents.reduce((sum, { count }) => sum + count, 0);
  const rest = contents.slice(MOST_CONTENTS).reduce((sum, { count }) => sum + count, 0);
  return {
    total: Math.max(total + refusedCalls, read),
    refused: refusedCalls,
    read,
    contents: [...contents.slice(0, MOST_CONTENTS), ...(rest > 0 ? [{ content: '', count: rest }] : [])],
  };
}

/** By reason. Calls of unknown callers are not failures of this gateway. */
async function readRefused(
  store: Store,
  { from, to }: Span,
  asked: FigureOwner | undefined,
): Promise<FailureView['contents']> {
  const owner = asked === undefined ? sql`user_id > 0` : ownsRow(asked);
  const { rows } = await sql<{ code: string; count: number }>`
    select code, cast(sum(count) as bigint) as count from refused_calls
    where ${owner} and minute >= ${from} and minute <= ${to} group by code`.execute(store.db);
  return rows.map(({ code, count }) => ({ content: `${REFUSED}${code}`, count }));
}

/** Contents that a user reads as one are one entry. */
function shownToUser(contents: FailureView['contents']): FailureView['contents'] {
  const counts = new Map<string, number>();
  for (const { content, count } of contents) {
    const shown = publicContent(content);
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  return [...counts].map(([content, count]) => ({ content, count }));
}

/** The newest (user, hour) pairs that together hold enough failures. */
function enough(cells: readonly Cell[]): Cell[] {
  let expected = 0;
  return cells.filter(({ errors }) => {
    const isWanted = expected < FAILURES_READ;
    expected += errors;
    return isWanted;
  });
}

async function contentsOf(
  store: Store,
  span: Span,
  cells: readonly Cell[],
  asked: FigureOwner | undefined,
): Promise<FailureView['contents']> {
  const places = cells.map(({ hour, user_id }) => {
    const to = Math.min(span.to, hour + HOUR_SECONDS - 1);
    return sql`(user_id = ${user_id} and created_at >= ${Math.max(span.from, hour)} and created_at <= ${to})`;
  });
  const owner = asked?.memberId === undefined ? sql`` : sql` and ${ownsRow(asked)}`;
  const { rows } = await sql<{ content: string; count: number }>`
    select content, count(*) as count from (
      select content from logs where type = 5 and (${sql.join(places, sql` or `)})${owner} limit ${FAILURES_READ}
    ) failures group by content order by count(*) desc, content`.execute(store.db);
  return rows;
}
