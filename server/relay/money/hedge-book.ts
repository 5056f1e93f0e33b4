// What hedged calls may cost and have cost (ADR 121). The share is counted in memory, per node; the money in the database, for all nodes,
// when the second attempt is sent: what a process had booked when it died stays booked. It is the operator's cost and no user's charge.
import type { Log } from '#contract/context.ts';
import { siteDay } from '#contract/site-day.ts';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The call that is hedged, as the margins name it. */
export interface HedgedCall {
  readonly model: string;
  readonly group: string;
  readonly userId: number;
}

/** What the attempt that lost has cost. */
export interface Loss {
  readonly channelId: number;
  /** Quota units; null: the channel has no buy price. */
  readonly cost: number | null;
  /** What counts in the limit of the day: the cost, or the selling price where it is unknown. */
  readonly spent: number;
}

export interface Booking {
  /** In place of what was expected; undefined: the second attempt was not sent. */
  end(loss: Loss | undefined): void;
}

export interface HedgeBook {
  /** A call that may be hedged begins: it earns its part of a second attempt. */
  earn(): void;
  /** Whether the share of hedged calls allows one more, which is taken. */
  take(): boolean;
  giveBack(): void;
  /** Books the loss that is expected, and `most` in the limit of the day; undefined: the day has not so much left. */
  begin(call: HedgedCall, expected: Loss, most: number): Promise<Booking | undefined>;
  /** Waits for what is being written. */
  flush(): Promise<void>;
}

/** An outage of a quiet hour may use what the calls before it earned, and no more. */
const MOST_EARNED = 10;
/** While so many more could be paid today, no call waits for the database: beyond that the database decides. */
const AMPLE = 20;

export function createHedgeBook(store: Store, settings: SettingsReader, log: Log): HedgeBook {
  /** What this node knows of the day. */
  let known: { day: number; spent: number } | undefined;
  const writing = new Set<Promise<unknown>>();

  function later(work: Promise<unknown>): void {
    const written = work
      .catch((error: unknown) => {
        known = undefined;
        log.warn('what a hedged call costs could not be booked', { error });
      })
      .finally(() => writing.delete(written));
    writing.add(written);
  }

  /** False: the day has not so much left. */
  async function spend(day: number, amount: number, limit: number): Promise<boolean> {
    const spent = await spendIn(store, day, amount, limit);
    if (spent === undefined) return false;
    if (known?.day !== day || known.spent < spent) known = { day, spent };
    return true;
  }

  return {
    ...createShare(settings),
    async begin(call, expected, most) {
      const { day, hour, limit } = todayOf(settings);
      const isAmple = known?.day === day && known.spent + most * AMPLE <= limit;
      if (known !== undefined && isAmple) known.spent += most;
      const booked = spend(day, most, isAmple ? NO_LIMIT : limit).then(async (isSpent) => {
        if (isSpent) await count(store, hour, call, [[expected, 1]]);
        return isSpent;
      });
      if (isAmple) later(booked);
      else if (!(await isTrue(booked, log))) return undefined;
      return {
        end(loss) {
          const difference = (loss?.spent ?? 0) - most;
          if (known?.day === day) known.spent += difference;
          const isExpected = loss?.channelId === expected.channelId && loss.cost === expected.cost;
          const changes: Change[] =
            loss === undefined
              ? [[expected, -1]]
              : [
                  [expected, -1],
                  [loss, 1],
                ];
          later(
            booked.then(async () => {
              await spend(day, difference, NO_LIMIT);
              if (!isExpected) await count(store, hour, call, changes);
            }),
          );
        },
      };
    },
    async flush() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
type Change = readonly [Loss, 1 | -1];

function createShare(settings: SettingsReader): Pick<HedgeBook, 'earn' | 'take' | 'giveBack'> {
  let earned = 0;
  return {
    earn() {
      earned = Math.min(MOST_EARNED, earned + settings.current.HedgeSharePercent / 100);
    },
    take() {
      // Twenty times 5 percent are a little less than one.
      if (earned < 1 - 1e-9 || settings.current.HedgeSharePercent === 0) return false;
      earned -= 1;
      return true;
    },
    giveBack() {
      earned += 1;
    },
  };
}

/** The day of the site, as the first second of its date in UTC. */
function todayOf({ current }: SettingsReader): { day: number; hour: number; limit: number } {
  const now = unixSeconds();
  const day = Date.parse(`${siteDay(current.SiteTimeZone, now)}T00:00:00Z`) / 1000;
  const limit = quotaOfDollars(current.HedgeDollarsPerDay, current.QuotaPerUnit);
  return { day, hour: now - (now % HOUR_SECONDS), limit };
}

async function isTrue(booked: Promise<boolean>, log: Log): Promise<boolean> {
  try {
    return await booked;
  } catch (error) {
    log.warn('a call is not hedged, because its cost could not be booked', { error });
    return false;
  }
}

/**
 * What is spent then, of all nodes: one conditional statement, so that no transaction holds up the writer of the ledger. It names its
 * table, and no raw SQL, so that the ledger knows that its own are not concerned.
 */
async function spendIn(
  { db }: Store,
  day: number,
  amount: number,
  limit: number,
): Promise<number | undefined> {
  if (amount > limit) return undefined;
  const row = await db
    .insertInto('hedge_days')
    .values({ day, spent: amount })
    .onConflict((conflict) =>
      conflict
        .column('day')
        .doUpdateSet((all) => ({ spent: all('hedge_days.spent', '+', all.ref('excluded.spent')) }))
        .where('hedge_days.spent', '<=', limit - amount),
    )
    .returning('spent')
    .executeTakeFirst();
  return row?.spent;
}

/** Two nodes that write the same rows wait for each other instead of deadlocking: in the order of channels, each once. */
async function count(
  { db }: Store,
  hour: number,
  { model, group, userId }: HedgedCall,
  losses: readonly Change[],
): Promise<void> {
  const byChannel = Map.groupBy(losses, ([{ channelId }]) => channelId);
  const values = [...byChannel]
    .toSorted(([left], [right]) => left - right)
    .map(([channel_id, own]) => ({
      hour,
      channel_id,
      model_name: model,
      group,
      user_id: userId,
      count: own.reduce((sum, [, sign]) => sum + sign, 0),
      cost: own.reduce((sum, [{ cost }, sign]) => sum + sign * (cost ?? 0), 0),
      costed_count: own.reduce((sum, [{ cost }, sign]) => sum + (cost === null ? 0 : sign), 0),
    }));
  await db
    .insertInto('hedge_hours')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'channel_id', 'model_name', 'group', 'user_id']).doUpdateSet((all) => ({
        count: all('hedge_hours.count', '+', all.ref('excluded.count')),
        cost: all('hedge_hours.cost', '+', all.ref('excluded.cost')),
        costed_count: all('hedge_hours.costed_count', '+', all.ref('excluded.costed_count')),
      })),
    )
    .execute();
}
