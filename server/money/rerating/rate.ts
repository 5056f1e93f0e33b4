// What a past call costs by other prices, and why a call keeps its charge.
import type { LeftOutReason } from '#contract/money/rerating.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { PriceSettings } from '#server/money/prices/price.ts';
import { chargeUnder } from '#server/money/price-book/recompute.ts';
import type { Row } from '#server/platform/store/schema.ts';

import type { Filter } from './run.ts';

export const RATED_COLUMNS = [
  'id',
  'created_at',
  'request_id',
  'type',
  'user_id',
  'token_id',
  'channel_id',
  'model_name',
  'group',
  'quota',
  'cost',
  'other',
] as const satisfies readonly (keyof Row<'logs'>)[];

export type RatedRow = Pick<Row<'logs'>, (typeof RATED_COLUMNS)[number]>;

/** The fields of `other` that decide whether and how a call is rated. */
interface Facts {
  usage?: unknown;
  task_id?: unknown;
  price_version?: number;
  plan?: { subscription: number; quota: number };
  rerated?: unknown;
}

/** `outside`: the filter does not select the call. */
export type Rating =
  | { kind: 'outside' }
  | { kind: 'left_out'; reason: LeftOutReason }
  | { kind: 'rated'; price: number; plan: { subscription: number; quota: number }; isCorrected: boolean };

const NO_PLAN = { subscription: 0, quota: 0 };

export function rate(prices: PriceSettings, filter: Filter, row: RatedRow): Rating {
  if (filter.groups.length > 0 && !filter.groups.includes(row.group)) return { kind: 'outside' };
  const facts = factsOf(row.other);
  if (filter.chargedVersion > 0 && facts?.price_version !== filter.chargedVersion) return { kind: 'outside' };
  if (row.request_id.startsWith('import:')) return { kind: 'left_out', reason: 'imported' };
  if (facts?.usage === undefined) return { kind: 'left_out', reason: 'no_usage' };
  if (facts.task_id !== undefined) return { kind: 'left_out', reason: 'task' };
  const price = chargeUnder(prices, builtInPrice, row);
  if (price === 'not_rated') return { kind: 'left_out', reason: 'no_price' };
  return { kind: 'rated', price, plan: facts.plan ?? NO_PLAN, isCorrected: facts.rerated !== undefined };
}

function factsOf(other: string): Facts | undefined {
  try {
    return JSON.parse(other) as Facts;
  } catch {
    return undefined;
  }
}
