// Margins by the hour, for the parts of UTC days that a day of the site is made of (ADR 98). The log has the time of each call;
// `margin_days` stays what is believed: where the two differ, a day of UTC stays whole and counts in its middle hour.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { spanStart } from '#server/money/sums/margin-spans.ts';
import type { Store } from '#server/platform/store/store.ts';
import { conditionsOf, figuresOfCalls, keyOf, type KeyedSums, type Sums } from './day-sums.ts';
import { kindOf, type SumQuery } from './kinds.ts';
import { isOfChannels, logHours, readUnsummedHours } from './unsummed-hours.ts';

export const FIGURES = sql`count, quota, cost, costed_count, costed_quota`;

/** Seconds, the end not included. */
export interface Range {
  start: number;
  end: number;
}

/** Where a day counts whose calls cannot be told apart by the hour: noon has the same date in nearly every zone. */
export const middleOf = (day: number): number => day + DAY_SECONDS / 2;

export const wholeDay = (day: number): RawBuilder<unknown> => sql`
  select ${sql.lit(middleOf(day))} as day, channel_id, model_name, "group", user_id, ${FIGURES}
  from margin_days where day = ${day}`;

const MOST_ATTEMPTS = 3;

/**
 * What the hours of a time brought and cost, in days of UTC of which only a part may be wanted. By day: the key is the hour.
 * `undivided`: a day whose calls are all of one day of the site, so that the log need not divide it.
 */
export async function hourSums(
  store: Store,
  range: Range,
  query: SumQuery,
  { now, undivided }: { now: number; undivided: number | undefined },
): Promise<KeyedSums[]> {
  if (range.start >= range.end) return [];
  const days: number[] = [];
  for (let day = spanStart(range.start, 1); day < range.end; day += DAY_SECONDS) days.push(day);
  const kind = kindOf(query);
  const readDays = async (some: readonly number[]) => {
    const all: KeyedSums[] = [];
    for (const day of some)
      all.push(
        ...(day === undivided
          ? await readUndivided(store, range, query, day)
          : ((await readKept(store, range, query, day, now)) ??
            (await readUnsummed(store, range, query, day)))),
      );
    return all;
  };
  if (kind === undefined) return await readDays(days);
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const summed = await readSummedDays(store, days);
    const sums = isOfSite(query)
      ? await readSite(store, range, summed)
      : await readSummed(
          store,
          range,
          query,
          kind,
          summed.map(({ day }) => day),
        );
    if (sums === undefined) continue;
    const known = new Set(summed.map(({ day }) => day));
    return [...sums, ...(await readDays(days.filter((day) => !known.has(day))))];
  }
  return await readDays(days);
}

interface SummedDay {
  day: number;
  /** Another number whenever its sums may be others. */
  changes: number;
}

async function readSummedDays({ db }: Store, days: readonly number[]): Promise<SummedDay[]> {
  return await db
    .selectFrom('margin_summed')
    .select(['day', 'changes'])
    .where('days', '=', 0)
    .where('is_summed', '=', 1)
    .where('day', 'in', days)
    .execute();
}

/** Everything by the hour: asked by the overview and the chart of every margins page. */
const isOfSite = ({ by, channel, supplier, model, group, user }: SumQuery): boolean =>
  by === 'day' && [channel, supplier, model, group, user].every((filter) => filter === undefined);

const keptDays = new WeakMap<Store, Map<number, SummedDay & { hours: readonly KeyedSums[] }>>();
const MOST_KEPT = 1000;

/** The hours of past days stay in memory until their days are marked as changed: a question about months reads the new ones. */
async function readSite(
  store: Store,
  { start, end }: Range,
  days: readonly SummedDay[],
): Promise<KeyedSums[] | undefined> {
  const kept = keptDays.get(store) ?? new Map<number, SummedDay & { hours: readonly KeyedSums[] }>();
  keptDays.set(store, kept);
  const missing = days.filter(({ day, changes }) => kept.get(day)?.changes !== changes);
  if (missing.length > 0) {
    const [first = 0, last = 0] = [Math.min, Math.max].map((of) => of(...missing.map(({ day }) => day)));
    const wanted = missing.map(({ day }) => day);
    const whole = { start: first, end: last + DAY_SECONDS };
    const read = await readSummed(store, whole, { by: 'day' }, 'channel', wanted);
    if (read === undefined) return undefined;
    const hoursOf = Map.groupBy(read, ({ key }) => spanStart(Number(key), 1));
    if (kept.size > MOST_KEPT) kept.clear();
    for (const each of missing) kept.set(each.day, { ...each, hours: hoursOf.get(each.day) ?? [] });
  }
  return days.flatMap(({ day }) =>
    (kept.get(day)?.hours ?? []).filter(({ key }) => Number(key) >= start && Number(key) < end),
  );
}

/** In whole or not at all, because no border of the range lies in it. */
async function readUndivided(
  { db }: Store,
  { start, end }: Range,
  query: SumQuery,
  day: number,
): Promise<KeyedSums[]> {
  if (day < start || day >= end) return [];
  const key = query.by === 'day' ? sql.lit(day) : keyOf(query.by);
  const { rows } = await sql<KeyedSums>`select ${key} as key, ${figuresOfCalls} from margin_days
    where day = ${day} and ${where(conditionsOf(query))} group by ${query.by === 'day' ? sql.ref('day') : sql`1`}`.execute(
    db,
  );
  return rows;
}

const where = (conditions: readonly RawBuilder<SqlBool>[]) =>
  sql.join(conditions.length === 0 ? [sql<SqlBool>`1 = 1`] : [...conditions], sql` and `);

/** Undefined: one of the days is no longer summed, as counted in the same statement. */
async function readSummed(
  { db }: Store,
  { start, end }: Range,
  query: SumQuery,
  kind: string,
  days: readonly number[],
): Promise<KeyedSums[] | undefined> {
  if (days.length === 0) return [];
  const first = sql.join(days);
  const { rows } = await sql<KeyedSums | (Sums & { key: null })>`
    select ${keyOf(query.by)} as key, ${figuresOfCalls} from margin_sums
    where kind = ${kind} and days = 0 and day >= ${start} and day < ${end}
      and day - day % ${sql.lit(DAY_SECONDS)} in (${first}) and ${where(conditionsOf(query))}
    group by 1
    union all select null, count(*), 0, 0, 0, 0, 0 from margin_summed
      where is_summed = 1 and days = 0 and day in (${first})`.execute(db);
  const stillSummed = rows.find((row) => row.key === null)?.calls;
  return stillSummed === days.length ? rows.filter((row) => row.key !== null) : undefined;
}

type Found = KeyedSums & { is_logged: number; is_wanted: number };

/**
 * From the log where it has the figures of `margin_days` for this question, else from there. One statement reads
 * both, so that a call which is settled meanwhile is in both or in none.
 */
async function readUnsummed(
  { db }: Store,
  { start, end }: Range,
  query: SumQuery,
  day: number,
): Promise<KeyedSums[]> {
  const conditions = where(conditionsOf(query));
  const isWanted = sql`case when day >= ${start} and day < ${end} then 1 else 0 end`;
  const part = (source: RawBuilder<unknown>, isLogged: 0 | 1) => sql`
    select ${keyOf(query.by)} as key, ${sql.lit(isLogged)} as is_logged, ${isWanted} as is_wanted, ${figuresOfCalls}
    from (${source}) as source where ${conditions} group by 1, 2, 3`;
  const { rows } = await sql<Found>`${part(logHours(day, day + DAY_SECONDS), 1)}
    union all ${part(wholeDay(day), 0)}`.execute(db);
  const logged = rows.filter((row) => row.is_logged === 1);
  const counted = rows.filter((row) => row.is_logged === 0);
  const believed = isEqual(logged, counted) ? logged : counted;
  return believed.filter((row) => row.is_wanted === 1);
}

/** Undefined: the question is another one, or the log has not what was charged. */
async function readKept(
  store: Store,
  { start, end }: Range,
  query: SumQuery,
  day: number,
  now: number,
): Promise<KeyedSums[] | undefined> {
  if (!isOfChannels(query)) return undefined;
  const hours = await readUnsummedHours(store, day, now);
  return hours
    ?.filter(({ hour }) => hour >= start && hour < end)
    .map(({ hour, channel, ...sums }) => ({ ...sums, key: query.by === 'day' ? hour : channel }));
}

const NAMES = ['calls', 'revenue', 'cost', 'known_calls', 'known_revenue'] as const;

const isEqual = (left: readonly Sums[], right: readonly Sums[]): boolean =>
  NAMES.every((name) => sumOf(left, name) === sumOf(right, name));

const sumOf = (rows: readonly Sums[], name: (typeof NAMES)[number]): number =>
  rows.reduce((sum, row) => sum + row[name], 0);
