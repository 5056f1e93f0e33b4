// How long what a user has left lasts: balance and subscriptions at the pace of the last seven days. Overview, wallet, the user's
// page and the warning of a low balance say the same.
import { sql } from 'kysely';
import { PACE_DAYS } from '#contract/money/wallet.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface BalancePace {
  quota: number;
  /** What subscriptions have left. */
  plans: number;
  /** What the user's calls of the last seven days cost, paid from the balance or by a subscription. */
  week: number;
  per_day: number;
  /** Null: nothing was used. */
  days_left: number | null;
}

export async function readBalancePace(
  { db }: Pick<Store, 'db'>,
  userId: number,
  now: number,
): Promise<BalancePace> {
  const total = (name: string) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as bigint)`;
  const { rows } = await sql<{ quota: number; plans: number; week: number }>`select
    (select quota from users where id = ${userId}) as quota,
    (select ${total('quota')} from subscriptions
      where user_id = ${userId} and status = 'active' and started_at <= ${now}) as plans,
    (select ${total('quota')} from usage_hours
      where user_id = ${userId} and hour > ${now - PACE_DAYS * DAY_SECONDS}) as week`.execute(db);
  const { quota = 0, plans = 0, week = 0 } = rows[0] ?? {};
  return {
    quota,
    plans,
    week,
    per_day: Math.round(week / PACE_DAYS),
    days_left: daysLeft(quota + plans, week),
  };
}

export const daysLeft = (left: number, week: number): number | null =>
  week <= 0 ? null : Math.floor((Math.max(0, left) * PACE_DAYS) / week);
