// How much of the prompts was read from upstreams' caches in a span of days of the site, and what that saved; by channel and model.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { CacheSavings, MarginQuery } from '#contract/money/margins.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { hourOf, type SiteSpan } from './calls.ts';
import { channelConditions, keyOf, total } from './day-sums.ts';

export interface CacheSums {
  /** By channel, model or the channel of a supplier; by nothing else. */
  rows: (CacheSavings & { key: number | string })[];
  total: CacheSavings;
}

type Filter = Pick<MarginQuery, 'by' | 'channel' | 'supplier' | 'model' | 'group' | 'user'>;

const NAMES = [
  'prompt_tokens',
  'cache_read',
  'cached_calls',
  'saved_quota',
  'unknown_quota_calls',
  'saved_cost',
  'unknown_cost_calls',
] as const;

export const noSavings = (): CacheSavings => ({
  prompt_tokens: 0,
  cache_read: 0,
  cached_calls: 0,
  saved_quota: 0,
  unknown_quota_calls: 0,
  saved_cost: 0,
  unknown_cost_calls: 0,
});

/** Changes and returns `left`. */
export function addSavings(left: CacheSavings, right: CacheSavings): CacheSavings {
  for (const name of NAMES) left[name] += right[name];
  return left;
}

/** Null where the filter names a group or a user: the sums know neither. */
export async function cacheSums({ db }: Store, span: SiteSpan, query: Filter): Promise<CacheSums | null> {
  const { by, group, user, model } = query;
  if (group !== undefined || user !== undefined) return null;
  const isKeyed = by === 'channel' || by === 'supplier' || by === 'model';
  const conditions = [timesOf(span), ...channelConditions(query)];
  if (model !== undefined) conditions.push(sql<SqlBool>`model_name = ${model}`);
  const { rows } = await sql<CacheSums['rows'][number]>`
    select ${isKeyed ? keyOf(by) : sql`0`} as key, ${total('prompt_tokens')} as prompt_tokens,
      ${total('cache_read')} as cache_read, ${total('cached_calls')} as cached_calls,
      ${total('saved_quota')} as saved_quota,
      ${total('cached_calls')} - ${total('priced_calls')} as unknown_quota_calls,
      ${total('saved_cost')} as saved_cost,
      ${total('cached_calls')} - ${total('costed_calls')} as unknown_cost_calls
    from cache_cells where ${sql.join(conditions, sql` and `)}${isKeyed ? sql` group by 1` : sql``}`.execute(
    db,
  );
  return { rows: isKeyed ? rows : [], total: rows.reduce(addSavings, noSavings()) };
}

/** Whole days of UTC inside the span, and the hours that the midnights of the site cut off. */
function timesOf(span: SiteSpan): RawBuilder<SqlBool> {
  const start = hourOf(span.start);
  const end = hourOf(span.end);
  const first = Math.ceil(start / DAY_SECONDS) * DAY_SECONDS;
  const last = Math.floor(end / DAY_SECONDS) * DAY_SECONDS;
  const within = (seconds: number, from: number, to: number) =>
    sql<SqlBool>`(seconds = ${sql.lit(seconds)} and start >= ${from} and start < ${to})`;
  if (first >= last) return within(HOUR_SECONDS, start, end);
  return sql<SqlBool>`(${within(DAY_SECONDS, first, last)} or ${within(HOUR_SECONDS, start, first)}
    or ${within(HOUR_SECONDS, last, end)})`;
}
