// One page of rows, newest first. Where matches are dense the time index is scanned; where they are rare the hourly figures
// say which hours, and which users in them, can hold a match, and only those are read.
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Row } from '#server/platform/store/schema.ts';
import {
  all,
  any,
  hourCondition,
  isRare,
  isRareType,
  logsBy,
  rowCondition,
  rowConditions,
  timeCondition,
} from './conditions.ts';
import { directRows, searchLimit, type LogDependencies } from './dependencies.ts';
import { countOfHour, wholeHours, type Figures } from './figures.ts';
import type { HourFigures } from './hour-figures.ts';
import { hasCellFilter, hasNameFilter, type Scope } from './scope.ts';

export interface PageRequest {
  limit: number;
  offset: number;
  /** Only rows older than this one. */
  before?: Position;
}

export interface Position {
  createdAt: number;
  id: number;
}

export interface RowPage {
  rows: Row<'logs'>[];
  /** False: older rows were not searched. */
  isComplete: boolean;
}

/** Up to this offset, skipping index entries is cheaper than computing where to begin. */
const CHEAP_OFFSET = 2000;
/** From this many matches in an hour, reading the whole hour is cheaper than looking up its users. */
const DENSE_MATCHES = 20;
const MOST_HOURS_PER_STEP = 120;
const MOST_WINDOW_DAYS = 30;

/** `figures` undefined: not known yet; then hours are looked up from the newest, as many as the page needs. */
export async function pageOfRows(
  dependencies: LogDependencies,
  asked: Scope,
  figures: Figures | undefined,
  request: PageRequest,
): Promise<RowPage> {
  // A second upper bound would be a filter on index entries, not the end of the scan.
  const scope = request.before ? { ...asked, to: Math.min(asked.to, request.before.createdAt) } : asked;
  const isOfOwnIndex = isRare(scope.type) || scope.contents !== undefined;
  if (figures?.isDirect && !isOfOwnIndex)
    return {
      rows: await newest(dependencies, rowCondition(since(scope, figures, request)), request),
      isComplete: true,
    };
  if (isOfOwnIndex) {
    const own = scope.contents ? 'logs_failed' : isRare(scope.type) ? 'logs_rare' : undefined;
    const index = scope.requestId === undefined ? own : undefined;
    return { rows: await newest(dependencies, rowCondition(scope), request, index), isComplete: true };
  }
  const isSparse = hasCellFilter(scope) || hasNameFilter(scope) || scope.type === LOG_TYPE.error;
  if (!figures) {
    if (isSparse) return await sparsePage(dependencies, scope, windows(dependencies, scope), request);
    return { rows: await newest(dependencies, rowCondition(scope), request), isComplete: true };
  }
  const { hours, offset } = afterOffset(dependencies, scope, figures, request);
  if (!isSparse) {
    const to = Math.min(scope.to, (hours[0]?.hour ?? 0) + HOUR_SECONDS - 1);
    const rest = { ...request, offset };
    const older = hours.filter(({ hour }) => hour <= scope.to);
    // Of the hour of the cursor only a part is wanted.
    const skipped = request.before && older[0] ? countOfHour(older[0], scope.type) : 0;
    const wanted = request.limit + offset + skipped;
    // The newest hours alone: on PostgreSQL a statement over every day's partition takes longer to plan than to run.
    const from = Math.max(scope.from, stepOf(older, wanted, scope.type).at(-1)?.hour ?? 0);
    const rows = await newest(dependencies, rowCondition({ ...scope, from, to }), rest);
    // The figures may count calls whose rows were not kept.
    if (rows.length === request.limit || from === scope.from) return { rows, isComplete: true };
    return { rows: await newest(dependencies, rowCondition({ ...scope, to }), rest), isComplete: true };
  }
  return await sparsePage(dependencies, scope, [hours], { ...request, offset });
}

/**
 * Without the days before the hour that completes the page: rows were counted, so no older one is on it. On PostgreSQL a statement
 * over every day's partition takes longer to plan than to run.
 */
function since(scope: Scope, { hours }: Figures, { limit, offset, before }: PageRequest): Scope {
  const older = hours.filter(({ hour }) => hour <= scope.to);
  // Of the hour of the cursor only a part is wanted.
  const skipped = before && older[0] ? countOfHour(older[0], scope.type) : 0;
  const first = stepOf(older, limit + offset + skipped, scope.type).at(-1)?.hour ?? scope.from;
  return { ...scope, from: Math.max(scope.from, first) };
}

/** Whether the page can be read before the count is known. */
export function canGoAhead(scope: Scope, { offset }: PageRequest): boolean {
  return offset <= CHEAP_OFFSET && scope.group === undefined && !hasNameFilter(scope);
}

/** Ranges of hours of growing length, newest first. */
async function* windows(dependencies: LogDependencies, scope: Scope) {
  let until = Math.min(scope.to, nowSeconds(dependencies) + DAY_SECONDS);
  for (let days = 1; until >= scope.from; days *= 3) {
    const start = Math.max(scope.from, until - days * DAY_SECONDS);
    const from = days > MOST_WINDOW_DAYS ? scope.from : start - (start % HOUR_SECONDS);
    yield await wholeHours(dependencies, { ...scope, from, to: until });
    until = from - 1;
  }
}

/** The position of a cursor's row; of a deleted row, the position it had. */
export async function positionOf({ store }: LogDependencies, id: number): Promise<Position> {
  const row = await store.db
    .selectFrom('logs')
    .select(['id', 'created_at'])
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return { createdAt: 0, id: 0 };
  return { createdAt: row.created_at, id: row.id === id ? id : id + 1 };
}

/** Rows newer than this one, newest first. */
export async function rowsAfter(
  { store }: LogDependencies,
  scope: Scope,
  afterId: number,
  limit: number,
): Promise<Row<'logs'>[]> {
  return await store.db
    .selectFrom('logs')
    .selectAll()
    .where(all([sql`id > ${afterId}`, rowCondition(scope)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

async function newest(
  { store }: LogDependencies,
  condition: RawBuilder<SqlBool>,
  { limit, offset, before }: PageRequest,
  index?: Parameters<typeof logsBy>[0],
): Promise<Row<'logs'>[]> {
  const table = index ? logsBy(index, store) : sql`logs`;
  const conditions = before ? [condition, after(before)] : [condition];
  const { rows } = await sql<Row<'logs'>>`select * from ${table} where ${all(conditions)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`.execute(store.db);
  return rows;
}

function after({ createdAt, id }: Position): RawBuilder<SqlBool> {
  return sql`(created_at < ${createdAt} or id < ${id})`;
}

/** Skips whole hours of the offset by their counts. */
function afterOffset(
  dependencies: LogDependencies,
  scope: Scope,
  { hours, isExact }: Figures,
  request: PageRequest,
): { hours: readonly HourFigures[]; offset: number } {
  let { offset } = request;
  const cheap = Math.min(CHEAP_OFFSET, directRows(dependencies));
  if (!isExact || request.before !== undefined || offset <= cheap) return { hours, offset };
  let skipped = 0;
  for (const hour of hours) {
    const count = countOfHour(hour, scope.type);
    if (count > offset) break;
    offset -= count;
    skipped += 1;
  }
  return { hours: hours.slice(skipped), offset };
}

async function sparsePage(
  dependencies: LogDependencies,
  scope: Scope,
  stretches: Iterable<readonly HourFigures[]> | AsyncIterable<readonly HourFigures[]>,
  { limit, offset, before }: PageRequest,
): Promise<RowPage> {
  const endsAt = performance.now() + searchLimit(dependencies);
  const wanted = limit + offset;
  const rows: Row<'logs'>[] = [];
  for await (const hours of stretches) {
    const candidates = hours.filter(
      (figures) => figures.hour <= scope.to && countOfHour(figures, scope.type) > 0,
    );
    for (let at = 0; at < candidates.length && rows.length < wanted;) {
      // The time limit ends only a page with rows: an empty page would look like the end of the list.
      if (rows.length > offset && performance.now() > endsAt)
        return { rows: rows.slice(offset), isComplete: false };
      const step = stepOf(candidates.slice(at, at + MOST_HOURS_PER_STEP), wanted - rows.length, scope.type);
      at += step.length;
      rows.push(...(await rowsOfHours(dependencies, scope, step, { limit: wanted - rows.length, before })));
    }
    if (rows.length >= wanted) break;
  }
  return { rows: rows.slice(offset, wanted), isComplete: true };
}

/** As many hours as should hold the remaining rows. */
function stepOf(hours: readonly HourFigures[], wanted: number, type: number): HourFigures[] {
  const step: HourFigures[] = [];
  let expected = 0;
  for (const hour of hours) {
    if (expected >= wanted) break;
    step.push(hour);
    expected += countOfHour(hour, type);
  }
  return step;
}

async function rowsOfHours(
  dependencies: LogDependencies,
  scope: Scope,
  hours: readonly HourFigures[],
  { limit, before }: Pick<PageRequest, 'limit' | 'before'>,
): Promise<Row<'logs'>[]> {
  const matches = hours.reduce((sum, hour) => sum + countOfHour(hour, scope.type), 0);
  // Figures that were counted from rows have exact hours, and few.
  const isRead = scope.group !== undefined || hasNameFilter(scope);
  const isDense = isRead || scope.userId !== undefined || matches >= hours.length * DENSE_MATCHES;
  const places = isDense ? hourRanges(scope, hours) : await holderRanges(dependencies, scope, hours);
  const conditions = [places, ...rowConditions(scope)];
  const request = { limit, offset: 0, before };
  // Named groups have an index of their own.
  const index = scope.group !== undefined && scope.group !== 'default' ? 'logs_group' : undefined;
  // A forced index cannot use ranges joined by "or": it gets the range around them.
  if (index) conditions.push(stretchOf(scope, hours));
  if (isDense || scope.type !== LOG_TYPE.all)
    return await newest(dependencies, all(conditions), request, index);
  // The users of an hour come from the figures, which count only calls.
  const calls = await newest(dependencies, all([sql`type in (2, 5)`, ...conditions]), request);
  const others = hours.some((hour) => hour.others > 0)
    ? await newest(
        dependencies,
        all([isRareType, hourRanges(scope, hours), ...rowConditions(scope)]),
        request,
      )
    : [];
  return [...calls, ...others]
    .toSorted((left, right) => right.created_at - left.created_at || right.id - left.id)
    .slice(0, limit);
}

/** The range around these hours, which are sorted newest first. */
function stretchOf(scope: Scope, hours: readonly HourFigures[]): RawBuilder<SqlBool> {
  const newestHour = hours[0]?.hour ?? scope.to;
  const oldestHour = hours.at(-1)?.hour ?? scope.from;
  return timeCondition(Math.max(scope.from, oldestHour), Math.min(scope.to, newestHour + HOUR_SECONDS - 1));
}

/** Adjacent hours as one range. */
function hourRanges(scope: Scope, hours: readonly HourFigures[]): RawBuilder<SqlBool> {
  const ranges: { from: number; to: number }[] = [];
  for (const { hour } of hours) {
    const previous = ranges.at(-1);
    if (previous?.from === hour + HOUR_SECONDS) previous.from = hour;
    else ranges.push({ from: hour, to: hour + HOUR_SECONDS - 1 });
  }
  return any(
    ranges.map(({ from, to }) => sql`(${timeCondition(Math.max(scope.from, from), Math.min(scope.to, to))})`),
  );
}

/** The hours of the users whose calls match. */
async function holderRanges(
  { store }: LogDependencies,
  scope: Scope,
  hours: readonly HourFigures[],
): Promise<RawBuilder<SqlBool>> {
  const counted =
    scope.type === LOG_TYPE.error
      ? sql`error_count`
      : scope.type === LOG_TYPE.consumption
        ? sql`count`
        : sql`count + error_count`;
  const { rows } = await sql<{ hour: number; user_id: number }>`
    select distinct hour, user_id from usage_hours
    where hour in (${sql.join(hours.map(({ hour }) => hour))}) and ${hourCondition(scope)} and ${counted} > 0`.execute(
    store.db,
  );
  return any(
    rows.map(({ hour, user_id }) => {
      const to = Math.min(scope.to, hour + HOUR_SECONDS - 1);
      return sql`(user_id = ${user_id} and ${timeCondition(Math.max(scope.from, hour), to)})`;
    }),
  );
}
