// Margins of a span of days of the site: what calls brought and cost, and the fees of channels.
import { sql, type SqlBool } from 'kysely';
import {
  MARGIN_MOST_DAYS,
  MARGIN_MOST_ROWS,
  type CacheSavings,
  type MarginDimension,
  type MarginFigures,
  type MarginQuery,
  type MarginReport,
  type MarginRow,
} from '#contract/money/margins.ts';
import { AppError } from '#contract/errors.ts';
import { addDays, daysBetween, daySpan, siteDay } from '#contract/site-day.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addSavings, cacheSums, noSavings } from './cache-savings.ts';
import { sumUncharged } from './hedges.ts';
import { readHoldExcess } from './hold-excess.ts';
import { callSums, type SiteSpan } from './calls.ts';
import { channelConditions, type KeyedSums, type Sums, total } from './day-sums.ts';

const USUAL_DAYS = 30;

export interface MarginDependencies extends Clock {
  store: Store;
  /** Whose days are reported; days of UTC without it. */
  settings?: { readonly current: { readonly SiteTimeZone: string } };
}

export const zoneOf = ({ settings }: Pick<MarginDependencies, 'settings'>): string =>
  settings?.current.SiteTimeZone ?? 'UTC';

const NOTHING: Readonly<Sums> = { calls: 0, revenue: 0, cost: 0, fees: 0, known_calls: 0, known_revenue: 0 };
const NAMES = Object.keys(NOTHING) as (keyof Sums)[];

export async function marginReport(
  dependencies: MarginDependencies,
  query: MarginQuery,
): Promise<MarginReport> {
  const { store } = dependencies;
  const span = spanOf(zoneOf(dependencies), nowSeconds(dependencies), query);
  const { by } = query;
  const [calls, fees, hold_excess, hedges, shadows, cache] = await Promise.all([
    callSums(store, span, query, nowSeconds(dependencies)),
    feeSums(store, span, query),
    readHoldExcess(store, span, query),
    sumUncharged(store, 'hedge_hours', span, query),
    sumUncharged(store, 'shadow_hours', span, query),
    cacheSums(store, span, query),
  ]);
  const parts = [...calls, ...hedges.rows, ...shadows.rows, ...(hasFees(by) ? fees : [])];
  const supplierOf = by === 'supplier' ? await suppliersOf(store) : undefined;
  const keyOf = ({ key }: { key: number | string }): string =>
    String(supplierOf === undefined ? key : (supplierOf.get(Number(key)) ?? 0));
  const sumOf = new Map<string, Sums>();
  for (const row of parts) addTo(sumOf, keyOf(row), row);
  const savingsOf = new Map<string, CacheSavings>();
  for (const row of cache?.rows ?? [])
    savingsOf.set(keyOf(row), addSavings(savingsOf.get(keyOf(row)) ?? noSavings(), row));
  const all = [...sumOf].filter(hasFigures).map(([key, sum]) => ({ key, ...figuresOf(sum) }));
  const ordered =
    by === 'day'
      ? all.toSorted((left, right) => (left.key < right.key ? -1 : 1))
      : all.toSorted((left, right) => right.revenue - left.revenue || left.margin - right.margin);
  const shown = ordered.slice(0, MARGIN_MOST_ROWS);
  const names = await namesOf(store, by, shown);
  return {
    from: span.from,
    to: span.to,
    time_zone: span.zone,
    rows: shown.map((row): MarginRow => ({
      ...row,
      name: names.get(row.key) ?? '',
      cache: savingsOf.get(row.key) ?? null,
    })),
    total: figuresOf([...calls, ...hedges.rows, ...shadows.rows, ...fees].reduce(added, { ...NOTHING })),
    row_count: all.length,
    hold_excess,
    hedges: hedges.total,
    shadows: shadows.total,
    cache: cache?.total ?? null,
    filter_names: await filterNames(store, query),
  };
}

const dayText = (second: number): string => new Date(second * 1000).toISOString().slice(0, 10);

function spanOf(zone: string, now: number, { from, to, days = USUAL_DAYS }: MarginQuery): SiteSpan {
  const end = to ?? siteDay(zone, now);
  const start = from ?? addDays(end, 1 - days);
  const [first, last] = start < end ? [start, end] : [end, start];
  if (daysBetween(first, last) >= MARGIN_MOST_DAYS)
    throw new AppError('time_span_too_long', { days: MARGIN_MOST_DAYS }, { field: 'from' });
  return daysOfSite(zone, first, last);
}

export const daysOfSite = (zone: string, from: string, to: string): SiteSpan => ({
  from,
  to,
  zone,
  ...daySpan(zone, from, to),
});

/** `channel_fees.day` holds 00:00 UTC of the date, in every time zone of the site. */
export const feeDayOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

const hasFees = (by: MarginDimension): boolean => by === 'channel' || by === 'supplier' || by === 'day';

/** By channel or day. A fee belongs to no model, group or user. */
async function feeSums({ db }: Store, { from, to }: SiteSpan, query: MarginQuery): Promise<KeyedSums[]> {
  const { by, channel, supplier, model, group, user } = query;
  if (model !== undefined || group !== undefined || user !== undefined) return [];
  const conditions = [
    sql<SqlBool>`day >= ${feeDayOf(from)} and day <= ${feeDayOf(to)}`,
    ...channelConditions({ channel, supplier }),
  ];
  const { rows } = await sql<{ key: number; fees: number }>`
    select ${sql.ref(by === 'day' ? 'day' : 'channel_id')} as key, ${total('fee')} as fees
    from channel_fees where ${sql.join(conditions, sql` and `)} group by 1`.execute(db);
  return rows.map(({ key, fees }) => ({ ...NOTHING, fees, key: by === 'day' ? dayText(key) : key }));
}

async function suppliersOf({ db }: Store): Promise<Map<number, number>> {
  const channels = await db.selectFrom('channels').select(['id', 'supplier_id']).execute();
  return new Map(channels.map(({ id, supplier_id }) => [id, supplier_id]));
}

/** A late settlement takes back what recovery had counted under another channel, and leaves a row of nothing there. */
const hasFigures = ([, sum]: [string, Sums]): boolean => NAMES.some((name) => sum[name] !== 0);

function addTo(sumOf: Map<string, Sums>, key: string, sum: Sums): void {
  const known = sumOf.get(key);
  if (known === undefined) sumOf.set(key, { ...sum });
  else added(known, sum);
}

/** Changes and returns `left`. */
function added(left: Sums, right: Sums): Sums {
  for (const name of NAMES) left[name] += right[name];
  return left;
}

function figuresOf({ calls, revenue, cost, fees, known_calls, known_revenue }: Sums): MarginFigures {
  return {
    calls,
    revenue,
    cost,
    fees,
    margin: known_revenue - cost - fees,
    unknown_calls: calls - known_calls,
    unknown_revenue: revenue - known_revenue,
  };
}

const NAMED = {
  channel: { table: 'channels', column: 'name' },
  supplier: { table: 'suppliers', column: 'name' },
  user: { table: 'users', column: 'username' },
} as const;

type Named = keyof typeof NAMED;

/** Models, groups and days are their own names. */
async function namesOf(
  store: Store,
  by: MarginDimension,
  rows: readonly { key: string }[],
): Promise<Map<string, string>> {
  if (by === 'model' || by === 'group' || by === 'day') return new Map(rows.map(({ key }) => [key, key]));
  return await namesOfIds(
    store,
    by,
    rows.map(({ key }) => Number(key)),
  );
}

async function namesOfIds({ db }: Store, named: Named, ids: readonly number[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { table, column } = NAMED[named];
  const found = await sql<{ id: number; name: string }>`select id, ${sql.ref(column)} as name
    from ${sql.table(table)} where id in (${sql.join(ids)})`.execute(db);
  return new Map(found.rows.map(({ id, name }) => [String(id), name]));
}

async function filterNames(store: Store, query: MarginQuery): Promise<MarginReport['filter_names']> {
  const names: MarginReport['filter_names'] = {};
  for (const named of Object.keys(NAMED) as Named[]) {
    const id = query[named];
    if (id === undefined) continue;
    const name = (await namesOfIds(store, named, [id])).get(String(id));
    if (name !== undefined) names[named] = name;
  }
  return names;
}
