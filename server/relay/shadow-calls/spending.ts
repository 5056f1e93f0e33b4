// What copies may cost and have cost: the operator's money, and no user's charge. It is booked before a copy is sent, and corrected when it
// has ended: what a process had booked when it died stays booked.
import { siteDay } from '#contract/site-day.ts';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The copied call, as the margins name it. */
export interface Bought {
  readonly channelId: number;
  /** The target. */
  readonly model: string;
  readonly group: string;
  readonly userId: number;
}

export interface Spent {
  /** Quota units; null: the channel has no buy price. */
  readonly cost: number | null;
  /** What counts in the limit of the day: the cost, or the selling price where it is unknown. */
  readonly spent: number;
}

export interface Booking {
  /** In place of what was booked; undefined: nothing was bought. */
  end(actual: Spent | undefined): Promise<void>;
}

/** Books `expected` in the margins, and `most` in the limit of the day; undefined: the day has not so much left. */
export async function bookCopy(
  { store, settings }: { store: Store; settings: SettingsReader },
  shadow: { readonly id: number; readonly dollars_per_day: number },
  bought: Bought,
  { expected, most }: { expected: Spent; most: number },
): Promise<Booking | undefined> {
  const { SiteTimeZone, QuotaPerUnit } = settings.current;
  const now = unixSeconds();
  const day = dayOf(SiteTimeZone, now);
  const limit = quotaOfDollars(shadow.dollars_per_day, QuotaPerUnit);
  if (!(await spend(store, { day, shadow_id: shadow.id }, most, limit))) return undefined;
  const hour = now - (now % HOUR_SECONDS);
  await count(store, hour, bought, [[expected, 1]]);
  return {
    async end(actual) {
      const changes: Change[] = [[expected, -1]];
      if (actual !== undefined) changes.push([actual, 1]);
      await count(store, hour, bought, changes);
      const difference = (actual?.spent ?? 0) - most;
      if (difference !== 0)
        await spend(store, { day, shadow_id: shadow.id }, difference, Number.MAX_SAFE_INTEGER);
    },
  };
}

/** The day of the site, as the first second of its date in UTC. */
export const dayOf = (zone: string, now: number): number =>
  Date.parse(`${siteDay(zone, now)}T00:00:00Z`) / 1000;

/**
 * False: the day has not so much left. One conditional statement for all nodes. It names its table, and no raw SQL, so that the ledger knows
 * that its own are not concerned.
 */
async function spend(
  { db }: Store,
  key: { day: number; shadow_id: number },
  amount: number,
  limit: number,
): Promise<boolean> {
  if (amount > limit) return false;
  const row = await db
    .insertInto('shadow_days')
    .values({ ...key, spent: amount })
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'shadow_id'])
        .doUpdateSet((all) => ({ spent: all('shadow_days.spent', '+', all.ref('excluded.spent')) }))
        .where('shadow_days.spent', '<=', limit - amount),
    )
    .returning('spent')
    .executeTakeFirst();
  return row !== undefined;
}

type Change = readonly [Spent, 1 | -1];

async function count(
  { db }: Store,
  hour: number,
  { channelId, model, group, userId }: Bought,
  changes: readonly Change[],
): Promise<void> {
  await db
    .insertInto('shadow_hours')
    .values({
      hour,
      channel_id: channelId,
      model_name: model,
      group,
      user_id: userId,
      count: changes.reduce((sum, [, sign]) => sum + sign, 0),
      cost: changes.reduce((sum, [{ cost }, sign]) => sum + sign * (cost ?? 0), 0),
      costed_count: changes.reduce((sum, [{ cost }, sign]) => sum + (cost === null ? 0 : sign), 0),
    })
    .onConflict((conflict) =>
      conflict.columns(['hour', 'channel_id', 'model_name', 'group', 'user_id']).doUpdateSet((all) => ({
        count: all('shadow_hours.count', '+', all.ref('excluded.count')),
        cost: all('shadow_hours.cost', '+', all.ref('excluded.cost')),
        costed_count: all('shadow_hours.costed_count', '+', all.ref('excluded.costed_count')),
      })),
    )
    .execute();
}
