// Reads one page of a report: usage by cells or, for minutes, by log rows; costs by day. What a page may read and return is
// bounded: where a page would be larger, it ends earlier and its cursor goes on.
import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { positionOf } from '#server/money/sums/engine.ts';
import type { ReportScope } from './authenticate.ts';
import { bucketsOf, type Bucket, type Page, type Span } from './buckets.ts';
import {
  cellsOfRows,
  FIGURES,
  HOLDERS,
  type Dimension,
  type Figures,
  type Holder,
  type UsageKind,
} from './cells.ts';
import { readChangedDays } from './cost-days.ts';
import type { OrganizationDependencies } from './dependencies.ts';

export interface Filter {
  /** A list that is empty selects nothing. */
  userIds?: readonly number[] | undefined;
  tokenIds?: readonly number[] | undefined;
  /** Of an organization. */
  memberIds?: readonly number[] | undefined;
  projectIds?: readonly number[] | undefined;
  models?: readonly string[] | undefined;
  tiers?: readonly string[] | undefined;
  longContext?: readonly number[] | undefined;
}

/** What results are grouped by. `batch` and `service_tier` are both read from the tier of a cell. */
export type Group = Dimension | Holder | 'batch' | 'service_tier' | 'tag_value';
export type Groups = Partial<Record<Group, string | number>>;
export type UsageResult = Groups & Figures;
export type CostResult = Groups & { quota: number };

export interface ReportPage<Result> {
  buckets: Bucket<Result>[];
  nextPage: string | null;
}

/** One bucket alone has more results than a page may have. */
export class ReportTooLarge extends Error {
  override name = 'ReportTooLarge';
  readonly most: number;

  constructor(most: number) {
    super(`a bucket has more than ${most} results`);
    this.most = most;
  }
}

/** Of log rows, which a page of minutes reads in about a fifth of a second. */
const MOST_ROWS = 20_000;
const MOST_RESULTS = 20_000;
const YEAR_SECONDS = 366 * DAY_SECONDS;

const GROUP_EXPRESSIONS: Partial<Record<Group, RawBuilder<unknown>>> = {
  batch: sql`case when tier = 'batch' then 1 else 0 end`,
  service_tier: sql`case when tier = 'batch' then '' else tier end`,
};

/** Of an organization: asks by whom its calls were made. */
export const isOfHolders = ({ memberIds, projectIds }: Filter, groupBy: readonly Group[]): boolean =>
  memberIds !== undefined ||
  projectIds !== undefined ||
  groupBy.some((group) => HOLDERS.some((holder) => holder === group));

export interface UsageQuestion {
  page: Page;
  /** None: the report is empty. */
  kinds: readonly UsageKind[];
  filter: Filter;
  groupBy: readonly Group[];
}

export async function usagePage(
  dependencies: OrganizationDependencies,
  scope: ReportScope,
  { page, kinds, filter, groupBy }: UsageQuestion,
): Promise<ReportPage<UsageResult>> {
  const asked = await withoutEmptyYears(dependencies, scope, page.span, 'usage_cells');
  const span = limited(asked, page.limit);
  const isOfRows = span.seconds < HOUR_SECONDS;
  const isByHolder = isOfHolders(filter, groupBy);
  const conditions = conditionsOf(scope, filter);
  if (isOfRows) span.to = await endOfBudget(dependencies, scope, filter, span);
  const cells = isOfRows
    ? sql`(${cellsOfRows(
        dependencies.store,
        span.seconds,
        all([sql`created_at >= ${span.from} and created_at < ${span.to}`, ...conditions]),
        isByHolder,
      )}) as cells`
    : sql.table(isByHolder ? 'holder_cells' : 'usage_cells');
  const sums = FIGURES.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`);
  const inSpan = sql<SqlBool>`seconds = ${span.seconds} and start >= ${span.from} and start < ${span.to}`;
  const chosen: Expression<SqlBool>[] = [
    // Cells of rows were made from those of the span only.
    ...(isOfRows ? [] : [inSpan, ...conditions]),
    ...oneOf('kind', kinds),
    ...dimensionConditions(filter),
  ];
  return await readPage<UsageResult>(
    dependencies,
    { page, asked, span, groupBy },
    ({ selected, ordered, most }) =>
      sql`select ${sql.join([...selected, ...sums])} from ${cells} where ${all(chosen)}
      group by ${ordered} order by ${ordered} limit ${most}`,
  );
}

export interface CostQuestion {
  page: Page;
  filter: Pick<Filter, 'userIds' | 'tokenIds' | 'memberIds' | 'projectIds'>;
  groupBy: readonly (Extract<Dimension, 'user_id' | 'token_id' | 'model_name'> | Holder | 'tag_value')[];
}

/** Days whose sums hold come from them, the others from the hourly figures: a day is in one of them only. */
export async function costPage(
  dependencies: OrganizationDependencies,
  scope: ReportScope,
  { page, filter, groupBy }: CostQuestion,
): Promise<ReportPage<CostResult>> {
  const asked = await withoutEmptyYears(dependencies, scope, page.span, 'usage_hours');
  const span = limited(asked, page.limit);
  const summed = Math.min(span.to, Math.max(span.from, await positionOf(dependencies.store, 'costs')));
  const conditions = conditionsOf(scope, filter);
  const changed = await readChangedDays(dependencies.store, { from: span.from, to: summed });
  const isKept = changed.map((day) => sql<SqlBool>`day <> ${day}`);
  const isRead = [
    sql<SqlBool>`hour >= ${summed} and hour < ${span.to}`,
    ...changed.map((day) => sql<SqlBool>`hour >= ${day} and hour < ${day + DAY_SECONDS}`),
  ];
  const days = sql`select day as start, user_id, token_id, model_name, quota from cost_days
    where ${all([sql`day >= ${span.from} and day < ${summed}`, ...isKept, ...conditions])}`;
  const hours = sql`select hour - hour % ${sql.lit(DAY_SECONDS)} as start, user_id, token_id, model_name, quota
    from usage_hours where ${all([sql`(${sql.join(isRead, sql` or `)})`, ...conditions])}`;
  return await readPage<CostResult>(
    dependencies,
    { page, asked, span, groupBy },
    ({ selected, ordered, most }) =>
      sql`select ${sql.join([...selected, sql`cast(sum(quota) as bigint) as quota`])}
      from (${days} union all ${hours}) as charges
      group by ${ordered} having sum(quota) <> 0 order by ${ordered} limit ${most}`,
  );
}

/**
 * By member, project and tag as they were at each call. What is attributed to none is the rest of the hourly figures, so that the
 * amounts of a bucket add up to what was charged.
 */
export async function holderCostPage(
  dependencies: OrganizationDependencies,
  { userId }: ReportScope,
  { page, filter, groupBy, tagKey }: CostQuestion & { tagKey: string },
): Promise<ReportPage<CostResult>> {
  const span = limited(page.span, page.limit);
  const inSpan = sql<SqlBool>`user_id = ${userId} and hour >= ${span.from} and hour < ${span.to}`;
  const start = sql`hour - hour % ${sql.lit(DAY_SECONDS)} as start`;
  const held = all([inSpan, sql`tag_key = ${tagKey}`]);
  const charges = sql`select ${start}, member_id, project_id, tag_value, token_id, model_name, quota from holder_hours where ${held}
    union all select ${start}, 0, 0, '', token_id, model_name, quota from usage_hours where ${inSpan}
    union all select ${start}, 0, 0, '', token_id, model_name, -quota from holder_hours where ${held}`;
  const conditions = all([
    ...oneOf('member_id', filter.memberIds),
    ...oneOf('project_id', filter.projectIds),
    ...oneOf('token_id', filter.tokenIds),
  ]);
  return await readPage<CostResult>(
    dependencies,
    { page, asked: page.span, span, groupBy },
    ({ selected, ordered, most }) =>
      sql`select ${sql.join([...selected, sql`cast(sum(quota) as bigint) as quota`])}
      from (${charges}) as charges where ${conditions}
      group by ${ordered} having sum(quota) <> 0 order by ${ordered} limit ${most}`,
  );
}

interface Reading {
  page: Page;
  asked: Span;
  span: Span;
  groupBy: readonly Group[];
}

interface Parts {
  selected: RawBuilder<unknown>[];
  ordered: RawBuilder<unknown>;
  most: number;
}

async function readPage<Result extends Groups>(
  { store, mostResults = MOST_RESULTS }: OrganizationDependencies,
  { page, asked, span, groupBy }: Reading,
  query: (parts: Parts) => RawBuilder<unknown>,
): Promise<ReportPage<Result>> {
  const named = ['start', ...groupBy].map((name) => sql.ref(name));
  const parts = {
    selected: [
      sql.ref('start'),
      ...groupBy.map((name) => sql`${GROUP_EXPRESSIONS[name] ?? sql.ref(name)} as ${sql.ref(name)}`),
    ],
    ordered: sql.join(named),
    most: mostResults + 1,
  };
  const isEmpty = span.from >= span.to;
  const { rows } = isEmpty
    ? { rows: [] }
    : await (query(parts) as RawBuilder<Result & { start: number }>).execute(store.db);
  let { to } = span;
  if (rows.length > mostResults) {
    // The last bucket may be cut: the next page begins with it.
    to = rows.at(-1)?.start ?? to;
    if (to === rows[0]?.start) throw new ReportTooLarge(mostResults);
  }
  const byStart = Map.groupBy(rows, ({ start }) => start);
  return {
    buckets: bucketsOf({ ...span, to }, (start) => byStart.get(start) ?? []),
    nextPage: to < asked.to ? page.cursorOf(to) : null,
  };
}

const limited = (span: Span, limit: number): Span => ({
  ...span,
  to: Math.min(span.to, span.from + limit * span.seconds),
});

/** Tools ask from 1970 on. Of a span longer than a year, buckets before the first call are left out. */
async function withoutEmptyYears(
  { store }: OrganizationDependencies,
  { userId }: ReportScope,
  span: Span,
  table: 'usage_cells' | 'usage_hours',
): Promise<Span> {
  if (span.to - span.from <= YEAR_SECONDS) return span;
  const column = table === 'usage_cells' ? sql`start` : sql`hour`;
  const conditions = [
    ...(table === 'usage_cells' ? [sql<SqlBool>`seconds = ${DAY_SECONDS}`] : []),
    ...(userId === undefined ? [] : [sql<SqlBool>`user_id = ${userId}`]),
  ];
  const { rows } = await sql<{ first: number | null }>`
    select min(${column}) as first from ${sql.table(table)} where ${all(conditions)}`.execute(store.db);
  const first = rows[0]?.first ?? span.to - span.seconds;
  return { ...span, from: Math.min(span.to, Math.max(span.from, first - (first % span.seconds))) };
}

/** Where a page ends so that it reads few enough log rows; at least one bucket. */
async function endOfBudget(
  dependencies: OrganizationDependencies,
  scope: ReportScope,
  filter: Filter,
  { from, to, seconds }: Span,
): Promise<number> {
  const firstHour = from - (from % HOUR_SECONDS);
  const { rows } = await sql<{ hour: number; calls: number }>`
    select hour, cast(sum(count) as bigint) as calls from usage_hours
    where ${all([sql`hour >= ${firstHour} and hour < ${to}`, ...conditionsOf(scope, { ...filter, memberIds: undefined, projectIds: undefined })])}
    group by hour order by hour`.execute(dependencies.store.db);
  let left = dependencies.mostRows ?? MOST_ROWS;
  for (const { hour, calls } of rows) {
    if (calls <= left) {
      left -= calls;
      continue;
    }
    const minutes = Math.floor((left * HOUR_SECONDS) / seconds / calls);
    const end = Math.max(from, hour) + minutes * seconds;
    // Buckets are whole.
    return Math.min(to, Math.max(from + seconds, end - ((end - from) % seconds)));
  }
  return to;
}

/** On columns that cells, log rows, hourly figures and days of costs have; holders on those of cells and rows. */
function conditionsOf({ userId }: ReportScope, filter: Filter): Expression<SqlBool>[] {
  const { userIds, tokenIds, memberIds, projectIds, models } = filter;
  return [
    ...(userId === undefined ? [] : [sql<SqlBool>`user_id = ${userId}`]),
    ...oneOf('member_id', memberIds),
    ...oneOf('project_id', projectIds),
    ...oneOf('user_id', userIds),
    ...oneOf('token_id', tokenIds),
    ...oneOf('model_name', models),
  ];
}

const dimensionConditions = ({ tiers, longContext }: Filter): Expression<SqlBool>[] => [
  ...oneOf('tier', tiers),
  ...oneOf('long_context', longContext),
];

function oneOf(column: string, values: readonly (string | number)[] | undefined): Expression<SqlBool>[] {
  if (values === undefined) return [];
  return [values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`];
}

const all = (conditions: readonly Expression<SqlBool>[]): RawBuilder<SqlBool> =>
  conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
