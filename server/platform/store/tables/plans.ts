// What operators sell for a time, and what users bought of it.
import type { Default, Flag } from './column.ts';

/** Written by server/admin/plans. A deleted plan keeps its row: subscriptions and orders name it. */
export interface PlansTable {
  id: Default<number>;
  name: string;
  /** The English version, as `description_en`; empty: there is none. */
  name_en: Default<string>;
  description: Default<string>;
  description_en: Default<string>;
  /** In the currency's smallest unit; 0 = not sold for money. */
  price_minor: Default<number>;
  currency: Default<string>;
  /** 0 = not sold for balance. */
  price_quota: Default<number>;
  duration_unit: Default<'day' | 'month'>;
  duration_count: Default<number>;
  quota: Default<number>;
  reset: Default<'never' | 'daily' | 'weekly' | 'monthly'>;
  /** Names with commas between; empty = all. */
  models: Default<string>;
  group: Default<string>;
  on_sale: Default<Flag>;
  /** 0 = no limit. */
  limit_per_user: Default<number>;
  sort_order: Default<number>;
  created_at: number;
  deleted_at: number | null;
}

/** One purchase with its frozen terms, written by server/money only. A renewal is a row that starts when this one ends. */
export interface SubscriptionsTable {
  id: Default<number>;
  user_id: number;
  plan_id: number;
  created_at: number;
  started_at: number;
  ends_at: number;
  plan_name: string;
  status: Default<'active' | 'ended'>;
  interval_unit: Default<'day' | 'month'>;
  interval_count: number;
  /** How many periods were bought. */
  periods: number;
  /** The current one, from 0; -1 before the start. */
  period: number;
  period_ends_at: number;
  /** Granted with every period. */
  period_quota: Default<number>;
  /** What the account `plan:<id>` has, with what calls hold. */
  quota: Default<number>;
  held: Default<number>;
  models: Default<string>;
  group: Default<string>;
  currency: Default<string>;
  end_reason: Default<string>;
  price_quota: Default<number>;
  price_minor: Default<number>;
  source: Default<'balance' | 'order' | 'grant'>;
  order_id: Default<number>;
  /** The subscription that this one renews. */
  follows_id: Default<number>;
  ended_at: Default<number>;
  /** Paid from the balance for another term when this one ends, if the plan costs no more; 0 = not renewed. */
  renew_price: Default<number>;
  ending_noticed: Default<Flag>;
  ended_noticed: Default<Flag>;
  request_key: string | null;
}
