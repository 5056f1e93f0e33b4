// What suppliers charge the operator, and the margins.
import type { Default } from './column.ts';

/** A named seller of several channels. */
export interface SuppliersTable {
  id: Default<number>;
  name: string;
  /** JSON (contract/money/channel-costs.ts); empty: none. */
  buy_price: Default<string>;
  created_at: Default<number>;
}

/** Charges and costs of one UTC day, written with every charge. */
export interface MarginDaysTable {
  /** First second of the day. */
  day: number;
  channel_id: number;
  model_name: string;
  group: string;
  user_id: number;
  count: Default<number>;
  quota: Default<number>;
  /** Of the calls whose cost is known. */
  cost: Default<number>;
  costed_count: Default<number>;
  costed_quota: Default<number>;
}

/** The rows of `margin_days` of a span of days, summed by some of their columns; the others are 0 or empty. */
export interface MarginSumsTable {
  /** Names the columns: server/admin/margins/kinds.ts. */
  kind: string;
  /** Length of the span, from `day` on; 0: one hour. */
  days: number;
  day: number;
  channel_id: Default<number>;
  model_name: Default<string>;
  group: Default<string>;
  user_id: Default<number>;
  count: Default<number>;
  quota: Default<number>;
  cost: Default<number>;
  costed_count: Default<number>;
  costed_quota: Default<number>;
}

/** Whether the rows of `margin_sums` of a span are whole and up to date. */
export interface MarginSummedTable {
  days: number;
  day: number;
  /** Grows with each write into a day of the span that is over, and with each attempt to sum it. */
  changes: Default<number>;
  is_summed: Default<0 | 1>;
}

/** What the attempts cost that lost the race of a hedged call, by the hour in which it began (ADR 121). */
export interface HedgeHoursTable {
  /** Its first second. */
  hour: number;
  /** Of the attempt that lost. */
  channel_id: number;
  model_name: string;
  group: string;
  user_id: number;
  count: Default<number>;
  /** Of those whose cost is known. */
  cost: Default<number>;
  costed_count: Default<number>;
}

/** What upstreams' caches of prompts saved, added up from log rows: calls of an hour or a day of UTC. */
export interface CacheCellsTable {
  /** 3600 or 86400. */
  seconds: number;
  start: number;
  channel_id: number;
  model_name: string;
  /** Of all calls, also those without a cache. */
  prompt_tokens: Default<number>;
  cache_read: Default<number>;
  /** Calls that read or wrote a cache. */
  cached_calls: Default<number>;
  /** Those whose row says what callers saved. */
  priced_calls: Default<number>;
  saved_quota: Default<number>;
  /** Those whose row says what the operator saved. */
  costed_calls: Default<number>;
  saved_cost: Default<number>;
}

/** What hedged calls may have cost on a day of the site: the daily limit is compared with it. */
export interface HedgeDaysTable {
  /** Its date, as the first second of it in UTC. */
  day: number;
  spent: Default<number>;
}

/** How often calls were answered with cached answers, and what that saved; figures, not money. */
export interface AnswerCacheHoursTable {
  hour: number;
  user_id: number;
  hits: Default<number>;
  /** Calls that could have been answered so, had there been an answer. */
  misses: Default<number>;
  /** Quota units. */
  saved: Default<number>;
}

/** The parts of monthly fees that fall on one day of the site. */
export interface ChannelFeesTable {
  /** Its date, as the first second of it in UTC. */
  day: number;
  channel_id: number;
  fee: Default<number>;
}
