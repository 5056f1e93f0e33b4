// Counts and sums of a filter by hour, for totals, badges and histogram. Few rows are counted directly. Otherwise whole
// hours come from the figures that the ledger writes with every charge, and only hours cut by the time range are counted from
// rows.
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { all, hourCondition, isNamedGroup, isRare, isRareType, logsBy, rowCondition } from './conditions.ts';
import { OPEN_HOURS, type ClosedHours } from './closed-hours.ts';
import { searchLimit, type LogDependencies } from './dependencies.ts';
import type { LogBounds } from './log-bounds.ts';
import { positionOf } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';
import { difference, merged, type HourFigures } from './hour-figures.ts';
import { rollupOf } from './rollup.ts';
import { hasNameFilter, withoutNames, type Scope } from './scope.ts';

export interface Figures {
  /** Newest first, without empty hours. */
  hours: HourFigures[];
  /** All rows of the range were read, because they are few. */
  isDirect: boolean;
  /** False: only the newest part, or an upper bound. */
  isExact: boolean;
}

interface Caches {
  closed: ClosedHours;
  bounds: LogBounds;
}

const ROWS_PER_STEP = 20_000;
const STRETCH_DAYS = 5;

/** `scope.type` is all or a rare type: the figures have calls and failures in separate columns. */
export async function figuresOf(
  dependencies: LogDependencies,
  scope: Scope,
  { closed, bounds }: Caches,
): Promise<Figures> {
  if (isRare(scope.type)) {
    return { hours: await rareFigures(dependencies, scope), isDirect: true, isExact: true };
  }
  if (scope.contents) {
    return { hours: await failureFigures(dependencies, scope), isDirect: true, isExact: true };
  }
  if (await bounds.isSmall(scope)) {
    return { hours: await rowFigures(dependencies, rowCondition(scope)), isDirect: true, isExact: true };
  }
  const hours = await manyFigures(dependencies, await withinLogs(bounds, scope), { closed, bounds });
  return { ...hours, isDirect: false };
}

/** The number of rows of a type in the figures. */
export function countOf(figures: readonly HourFigures[], type: number): number {
  let count = 0;
  for (const hour of figures) count += countOfHour(hour, type);
  return count;
}

export function countOfHour(hour: HourFigures, type: number): number {
  if (type === LOG_TYPE.consumption) return hour.consumed;
  if (type === LOG_TYPE.error) return hour.errors;
  if (type === LOG_TYPE.all) return hour.consumed + hour.errors + hour.others;
  return hour.others;
}

/** A cleanup deletes old rows but keeps their hourly figures; those hours must not count in a list of rows. */
async function withinLogs(bounds: LogBounds, scope: Scope): Promise<Scope> {
  const oldest = await bounds.oldest();
  return oldest !== undefined && oldest > scope.from ? { ...scope, from: oldest } : scope;
}

async function manyFigures(
  dependencies: LogDependencies,
  scope: Scope,
  { closed, bounds }: Caches,
): Promise<Pick<Figures, 'hours' | 'isExact'>> {
  if (hasNameFilter(scope)) return await readFigures(dependencies, scope);
  const load = (from: number, to: number) => wholeHours(dependencies, { ...scope, from, to });
  const whole = await closed.hours(scope, nowSeconds(dependencies), load);
  const hours = await withCutHours(dependencies, scope, { whole, bounds });
  return { hours, isExact: dependencies.settings.current.LogConsumeEnabled };
}

/** Exact figures of a range of whole hours. */
export async function wholeHours(dependencies: LogDependencies, scope: Scope): Promise<HourFigures[]> {
  if (scope.group !== undefined && scope.group !== 'default')
    return await rowFigures(dependencies, rowCondition(scope));
  const { group, ...anyGroup } = scope;
  const kept = await readKeptFigures(dependencies, anyGroup);
  const calls = group === undefined ? kept : await defaultGroup(dependencies, anyGroup, kept);
  return merged(calls, await rareFigures(dependencies, scope));
}

/** From the hourly figures, and where they exist from their sums (`usage_rollup`). */
async function readKeptFigures({ store }: LogDependencies, scope: Scope): Promise<HourFigures[]> {
  const rollup = rollupOf(scope);
  const until = rollup ? await positionOf(store, 'rollup') : 0;
  const first = scope.from - (scope.from % HOUR_SECONDS);
  const newer =
    scope.to < until ? [] : await hourlyFigures(store, { ...scope, from: Math.max(first, until) });
  if (!rollup || first >= until) return newer;
  const { rows } = await sql<HourFigures>`
    select hour, ${figureColumns} from usage_rollup
    where scope = ${rollup.scope} and key in (${sql.join(rollup.keys)})
      and hour >= ${first} and hour <= ${Math.min(scope.to, until - 1)}
    group by hour order by hour desc`.execute(store.db);
  return [...newer, ...rows];
}

async function hourlyFigures(store: Store, scope: Scope): Promise<HourFigures[]> {
  const { rows } = await sql<HourFigures>`
    select hour, ${figureColumns}
    from usage_hours where ${hourCondition(scope)} group by hour order by hour desc`.execute(store.db);
  return rows;
}

/** Named groups have an index that covers the sums; the default group has none. */
async function defaultGroup(
  dependencies: LogDependencies,
  anyGroup: Scope,
  everything: HourFigures[],
): Promise<HourFigures[]> {
  const named = await rowFigures(dependencies, all([isNamedGroup, rowCondition(anyGroup)]));
  const byHour = new Map(named.map((hour) => [hour.hour, hour]));
  return everything.map((hour) => {
    const taken = byHour.get(hour.hour);
    return taken ? difference(hour, taken) : hour;
  });
}

/** Counts rows. */
async function rowFigures(
  { store }: LogDependencies,
  condition: RawBuilder<SqlBool>,
): Promise<HourFigures[]> {
  const of = (type: number, column: string) =>
    sql`cast(coalesce(sum(case when type = ${sql.lit(type)} then ${sql.ref(column)} else 0 end), 0) as bigint)`;
  const { rows } = await sql<HourFigures>`
    select created_at - created_at % ${sql.lit(HOUR_SECONDS)} as hour,
      count(case when type = 2 then 1 end) as consumed, count(case when type = 5 then 1 end) as errors,
      count(case when type not in (2, 5) then 1 end) as others,
      ${of(LOG_TYPE.consumption, 'quota')} as quota, ${of(LOG_TYPE.consumption, 'prompt_tokens')} as "promptTokens",
      ${of(LOG_TYPE.consumption, 'completion_tokens')} as "completionTokens"
    from logs where ${condition} group by 1 order by 1 desc`.execute(store.db);
  return rows;
}

/** Counts events, which have no quota: the partial index alone answers. */
const rareFigures = ({ store }: LogDependencies, scope: Scope) =>
  countFigures(store, 'logs_rare', 'others', all([isRareType, rowCondition(scope)]));

/** Counts failures of one cause; they have no quota. */
const failureFigures = ({ store }: LogDependencies, scope: Scope) =>
  countFigures(store, 'logs_failed', 'errors', rowCondition(scope));

/** Rows by hour, counted in one member of the figures. */
async function countFigures(
  store: Store,
  index: 'logs_rare' | 'logs_failed',
  member: 'others' | 'errors',
  condition: RawBuilder<SqlBool>,
): Promise<HourFigures[]> {
  const nothing = { consumed: 0, errors: 0, others: 0, quota: 0, promptTokens: 0, completionTokens: 0 };
  const { rows } = await sql<{ hour: number; found: number }>`
    select created_at - created_at % ${sql.lit(HOUR_SECONDS)} as hour, count(*) as found
    from ${logsBy(index, store)} where ${condition} group by 1 order by 1 desc`.execute(store.db);
  return rows.map(({ hour, found }) => ({ hour, ...nothing, [member]: found }));
}

/** The first and the last hour if the range cuts them. */
async function withCutHours(
  dependencies: LogDependencies,
  scope: Scope,
  { whole, bounds }: { whole: HourFigures[]; bounds: LogBounds },
): Promise<HourFigures[]> {
  const now = nowSeconds(dependencies);
  const firstHour = scope.from - (scope.from % HOUR_SECONDS);
  const lastHour = scope.to - (scope.to % HOUR_SECONDS);
  const cut = new Set<number>();
  if (scope.from > firstHour) cut.add(firstHour);
  if (scope.to < lastHour + HOUR_SECONDS - 1 && scope.to < now) cut.add(lastHour);
  let result = whole;
  for (const hour of cut) {
    const from = Math.max(scope.from, hour);
    const to = Math.min(scope.to, hour + HOUR_SECONDS - 1);
    const part = { ...scope, from, to };
    const count = () => rowFigures(dependencies, rowCondition(part));
    const isPast = hour < now - OPEN_HOURS * HOUR_SECONDS;
    const counted = isPast ? await bounds.cutHour(part, count) : await count();
    result = merged(
      result.filter((figures) => figures.hour !== hour),
      counted,
    );
  }
  return result;
}

/**
 * Counts rows of the hours that may hold a match, newest first, until the time limit. The hours are looked up for some
 * days at a time: an unknown name must not read the whole history.
 */
async function readFigures(
  dependencies: LogDependencies,
  scope: Scope,
): Promise<Pick<Figures, 'hours' | 'isExact'>> {
  const endsAt = performance.now() + searchLimit(dependencies);
  let hours = await rareFigures(dependencies, scope);
  for (const stretch of stretchesOf(dependencies, scope)) {
    const candidates = await readKeptFigures(dependencies, { ...withoutNames(scope), ...stretch });
    for (let at = 0; at < candidates.length;) {
      if (performance.now() > endsAt) return { hours, isExact: false };
      const first = candidates[at];
      let last = first;
      for (let expected = 0; at < candidates.length && expected < ROWS_PER_STEP; at += 1) {
        last = candidates[at];
        expected += last ? countOfHour(last, LOG_TYPE.all) : 0;
      }
      if (!first || !last) break;
      const from = Math.max(scope.from, last.hour);
      const to = Math.min(scope.to, first.hour + HOUR_SECONDS - 1);
      const step = all([sql`type in (2, 5)`, rowCondition({ ...scope, from, to })]);
      hours = merged(hours, await rowFigures(dependencies, step));
    }
  }
  return { hours, isExact: true };
}

/** Ranges of some days, newest first, on the hour. */
function* stretchesOf(dependencies: LogDependencies, scope: Scope): Generator<Pick<Scope, 'from' | 'to'>> {
  let to = Math.min(scope.to, nowSeconds(dependencies) + DAY_SECONDS);
  while (to >= scope.from) {
    const from = Math.max(scope.from, to - (to % HOUR_SECONDS) - STRETCH_DAYS * DAY_SECONDS);
    yield { from, to };
    to = from - 1;
  }
}

function total(column: string): RawBuilder<number> {
  return sql`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;
}

const figureColumns = sql`${total('count')} as consumed, ${total('error_count')} as errors, 0 as others,
  ${total('quota')} as quota, ${total('prompt_tokens')} as "promptTokens",
  ${total('completion_tokens')} as "completionTokens"`;
