// The monthly fees of channels with a plan, spread over the days of the month. A day keeps the fee that it was booked with
// when the buy price changes later. A disabled channel has its fee too: its supplier goes on asking for it.
import { sql } from 'kysely';
import type { BuyPrice } from '#contract/money/channel-costs.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import { decimalOf, multiply, numberOf } from '#contract/money/decimal.ts';
import { buyPriceOf } from '#server/money/costs/index.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { siteDay } from '#contract/site-day.ts';
import { feeDayOf, zoneOf, type MarginDependencies } from './report.ts';

/** Days without a running job are booked later, but not more of them. */
const MOST_DAYS_BACK = 31;

interface FeeDependencies extends MarginDependencies {
  settings: { readonly current: { readonly QuotaPerUnit: number; readonly SiteTimeZone: string } };
}

/** Books the fees of today and of days that the job missed. Idempotent. Returns how many rows were written. */
export async function bookPlanFees(dependencies: FeeDependencies): Promise<number> {
  const { db } = dependencies.store;
  const today = feeDayOf(siteDay(zoneOf(dependencies), nowSeconds(dependencies)));
  const { QuotaPerUnit } = dependencies.settings.current;
  const [channels, suppliers, booked] = await Promise.all([
    db
      .selectFrom('channels')
      .select(['id', 'supplier_id', 'buy_price'])
      .where('deleted_at', 'is', null)
      .execute(),
    db.selectFrom('suppliers').select(['id', 'buy_price']).execute(),
    db
      .selectFrom('channel_fees')
      .select(['channel_id', sql<number>`max(day)`.as('day')])
      .where('day', '>=', today - MOST_DAYS_BACK * DAY_SECONDS)
      .groupBy('channel_id')
      .execute(),
  ]);
  const supplierOf = new Map(suppliers.map((supplier) => [supplier.id, supplier]));
  const lastOf = new Map(booked.map(({ channel_id, day }) => [channel_id, day]));
  let count = 0;
  for (const channel of channels) {
    const plan = buyPriceOf(channel, supplierOf.get(channel.supplier_id));
    if (plan?.kind !== 'plan') continue;
    const last = lastOf.get(channel.id);
    for (let day = last === undefined ? today : last + DAY_SECONDS; day <= today; day += DAY_SECONDS) {
      const fee = dayFee(monthlyUnits(plan, QuotaPerUnit), day);
      await db
        .insertInto('channel_fees')
        .values({ day, channel_id: channel.id, fee })
        .onConflict((conflict) => conflict.columns(['day', 'channel_id']).doNothing())
        .execute();
      count += 1;
    }
  }
  return count;
}

function monthlyUnits(plan: Extract<BuyPrice, { kind: 'plan' }>, quotaPerUnit: number): number {
  const dollars = numberOf(multiply(decimalOf(plan.monthly_fee), decimalOf(plan.recharge_rate)));
  return quotaOfDollars(dollars, quotaPerUnit);
}

/** The parts of all days of a month are the whole fee, to the unit. */
export function dayFee(monthly: number, day: number): number {
  const date = new Date(day * 1000);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const number = date.getUTCDate();
  const until = (count: number): bigint => (BigInt(monthly) * BigInt(count)) / BigInt(days);
  return Number(until(number) - until(number - 1));
}
