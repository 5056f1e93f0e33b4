// How long the balance of a channel at its upstream lasts at the pace of the last seven whole days.
import type { MarginQuery } from '#contract/money/margins.ts';
import type { RecentMargins } from '#server/admin/recent-margins.ts';
import type { Row } from '#server/platform/store/schema.ts';

const PACE_DAYS = 7;

/** What the channels cost in these days, in quota units. */
export async function paceCosts(
  margins: RecentMargins,
  filter: Pick<MarginQuery, 'channel' | 'supplier'>,
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await margins({ by: 'channel', ...filter, days: PACE_DAYS, back: 1, at: now });
  return new Map(rows.map(({ key, cost }) => [Number(key), cost]));
}

interface Rates {
  currency: 'USD' | 'CNY';
  /** What a dollar of credit costs the operator. */
  rechargeRate: number;
  quotaPerUnit: number;
  /** The operator's own yuan for a dollar, the only rate that the gateway knows. */
  yuan: number;
}

/** Null: never read, or nothing was used. A cost is what the operator paid, so it is turned back into credit. */
export function balanceDays(
  { balance, balance_updated_time }: Pick<Row<'channels'>, 'balance' | 'balance_updated_time'>,
  cost: number,
  { currency, rechargeRate, quotaPerUnit, yuan }: Rates,
): number | null {
  const perDay = (cost / quotaPerUnit / rechargeRate / PACE_DAYS) * (currency === 'CNY' ? yuan : 1);
  return balance_updated_time === 0 || perDay <= 0 ? null : Math.max(0, balance) / perDay;
}
