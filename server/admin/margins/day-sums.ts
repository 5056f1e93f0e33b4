// What the calls of a span of UTC days brought and cost. Days and weeks that are summed are read from `margin_sums`, the other
// days from `margin_days`, which every charge writes (ADR 79).
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { SPAN_DAYS, spanStart, type MarginSpan } from '#server/money/sums/margin-spans.ts';
import type { Store } from '#server/platform/store/store.ts';
import { kindOf, type SumQuery } from './kinds.ts';

/** First seconds of the first and the last day. */
export interface DaySpan {
  first: number;
  last: number;
}

export interface Sums {
  calls: number;
  revenue: number;
  cost: number;
  fees: number;
  known_calls: number;
  known_revenue: number;
}
/** Of a channel, a day, a user id or a name. */
export type KeyedSums = Sums & { key: number | string };

/** From where each day is read. */
interface Sources {
  spans: MarginSpan[];
  /** Days that are in none of these spans. */
  days: number[];
}

/** Attempts to read while late settlements change summed days; then everything is read from `margin_days`. */
const MOST_ATTEMPTS = 3;

/** A supplier is found by the channel. The key of both is the channel's id, a space and the model. */
const KEYS: Readonly<Record<SumQuery['by'], RawBuilder<unknown>>> = {
  channel: sql.ref('channel_id'),
  supplier: sql.ref('channel_id'),
  model: sql.ref('model_name'),
  group: sql.ref('group'),
  user: sql.ref('user_id'),
  day: sql.ref('day'),
  channel_model: sql`cast(channel_id as text) || ' ' || model_name`,
};

export const keyOf = (by: SumQuery['by']): RawBuilder<unknown> => KEYS[by];

export const total = (column: string) => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

/** Of the columns of `margin_days`, in the order of `Sums`. */
export const figuresOfCalls = sql`${total('count')} as calls, ${total('quota')} as revenue, ${total('cost')} as cost,
  0 as fees, ${total('costed_count')} as known_calls, ${total('costed_quota')} as known_revenue`;

export async function daySums(store: Store, span: DaySpan, query: SumQuery): Promise<KeyedSums[]> {
  const kind = kindOf(query);
  const attempts = kind === undefined ? 0 : MOST_ATTEMPTS;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const sums = await read(store, query, kind ?? '', await sourcesOf(store, span, query));
    if (sums !== undefined) return sums;
  }
  const sums = await read(store, query, '', { spans: [], days: daysOf(span) });
  return sums ?? [];
}

const daysOf = ({ first, last }: DaySpan): number[] =>
  Array.from({ length: (last - first) / DAY_SECONDS + 1 }, (_, at) => first + at * DAY_SECONDS);

/** The longest summed spans first. */
async function sourcesOf({ db }: Store, { first, last }: DaySpan, { by }: SumQuery): Promise<Sources> {
  const lengths = by === 'day' ? [1 as const] : SPAN_DAYS.toReversed();
  const summed = await db
    .selectFrom('margin_summed')
    .select(['days', 'day'])
    .where('is_summed', '=', 1)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute();
  const known = new Set(summed.map(({ days, day }) => `${days} ${day}`));
  const sources: Sources = { spans: [], days: [] };
  for (let day = first; day <= last;) {
    const days = lengths.find(
      (length) =>
        spanStart(day, length) === day &&
        day + (length - 1) * DAY_SECONDS <= last &&
        known.has(`${length} ${day}`),
    );
    if (days === undefined) sources.days.push(day);
    else sources.spans.push({ days, day });
    day += (days ?? 1) * DAY_SECONDS;
  }
  return sources;
}

/**
 * One statement, so that spans and days are of one moment; its row without a key counts the spans that are still summed at
 * that moment. Undefined: one of them is not.
 */
async function read(
  { db }: Store,
  query: SumQuery,
  kind: string,
  { spans, days }: Sources,
): Promise<KeyedSums[] | undefined> {
  const conditions = conditionsOf(query);
  const figures = sql`${keyOf(query.by)} as key, count, quota, cost, costed_count, costed_quota`;
  const rowsFrom = (table: string, where: readonly RawBuilder<SqlBool>[]) =>
    sql`select ${figures} from ${sql.table(table)} where ${sql.join([...where, ...conditions], sql` and `)}`;
  const used = SPAN_DAYS.map((length) => ({
    length,
    days: spans.filter((each) => each.days === length).map(({ day }) => day),
  })).filter((each) => each.days.length > 0);
  const parts = used.map((each) =>
    rowsFrom('margin_sums', [
      sql`kind = ${kind}`,
      sql`days = ${each.length}`,
      sql`day in (${sql.join(each.days)})`,
    ]),
  );
  if (days.length > 0) parts.push(rowsFrom('margin_days', [sql`day in (${sql.join(days)})`]));
  const summed = used.map(
    (each) => sql`(is_summed = 1 and days = ${each.length} and day in (${sql.join(each.days)}))`,
  );
  const isSummed = summed.length === 0 ? sql`1 = 0` : sql.join(summed, sql` or `);
  const { rows } = await sql<KeyedSums | (Sums & { key: null })>`
    select key, ${figuresOfCalls} from (${sql.join(parts, sql` union all `)}) as parts group by 1
    union all select null, count(*), 0, 0, 0, 0, 0 from margin_summed where ${isSummed}`.execute(db);
  const sums = rows.filter((row) => row.key !== null);
  const stillSummed = rows.find((row) => row.key === null)?.calls;
  return stillSummed === spans.length ? sums : undefined;
}

export function conditionsOf(query: SumQuery): RawBuilder<SqlBool>[] {
  const { model, group, user } = query;
  const conditions = channelConditions(query);
  if (model !== undefined) conditions.push(sql`model_name = ${model}`);
  if (group !== undefined) conditions.push(sql`"group" = ${group}`);
  if (user !== undefined) conditions.push(sql`user_id = ${user}`);
  return conditions;
}

export function channelConditions({ channel, supplier }: Pick<SumQuery, 'channel' | 'supplier'>) {
  const conditions: RawBuilder<SqlBool>[] = [];
  if (channel !== undefined) conditions.push(sql`channel_id = ${channel}`);
  if (supplier !== undefined)
    conditions.push(sql`channel_id in (select id from channels where supplier_id = ${supplier})`);
  return conditions;
}
