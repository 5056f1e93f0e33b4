// The hours of days that are not summed yet, by channel. Those that are over stay in memory for some minutes, so that a question reads
// only the last ones from the log. What they give together must be what `margin_days` has, channel by channel; else nothing of them
// is used.
import { sql, type RawBuilder } from 'kysely';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { figuresOfCalls, type Sums } from './day-sums.ts';
import type { SumQuery } from './kinds.ts';

/** The calls of a time, each with its hour as `day`, in the columns of `margin_days`. */
export const logHours = (start: number, end: number): RawBuilder<unknown> => sql`
  select created_at - created_at % ${sql.lit(HOUR_SECONDS)} as day, channel_id, model_name, "group", user_id, 1 as count,
    quota, coalesce(cost, 0) as cost, case when cost is null then 0 else 1 end as costed_count,
    case when cost is null then 0 else quota end as costed_quota
  from logs where type = ${sql.lit(LOG_TYPE.consumption)} and created_at >= ${start} and created_at < ${end}`;

const KEPT_SECONDS = 300;
/** Nearly all calls of an hour are settled by then. */
const OVER_SECONDS = HOUR_SECONDS;
const MOST_DAYS = 100;

export type ChannelHour = Sums & { hour: number; channel: number };

interface Kept {
  /** The first second that is not in it. */
  through: number;
  readAt: number;
  hours: readonly ChannelHour[];
}

const keptOf = new WeakMap<Store, Map<number, Kept>>();
const NAMES = ['calls', 'revenue', 'cost', 'known_calls', 'known_revenue'] as const;

/** Everything by channel, supplier or day: what the overview and a margins page ask first. */
export const isOfChannels = ({ by, channel, supplier, model, group, user }: SumQuery): boolean =>
  (by === 'channel' || by === 'supplier' || by === 'day') &&
  [channel, supplier, model, group, user].every((filter) => filter === undefined);

/** Undefined: the log does not have what `margin_days` has. */
export async function readUnsummedHours(
  store: Store,
  day: number,
  now: number,
): Promise<readonly ChannelHour[] | undefined> {
  const days = keptOf.get(store) ?? new Map<number, Kept>();
  keptOf.set(store, days);
  const known = days.get(day);
  const isFresh = known !== undefined && known.readAt <= now && now - known.readAt < KEPT_SECONDS;
  const found =
    (isFresh ? await readAfter(store, day, known) : undefined) ??
    (await readAfter(store, day, { through: day, hours: [] }));
  if (found === undefined) {
    days.delete(day);
    return undefined;
  }
  const through = Math.min(day + DAY_SECONDS, now - OVER_SECONDS - ((now - OVER_SECONDS) % HOUR_SECONDS));
  if (!isFresh && through > day) {
    if (days.size >= MOST_DAYS) days.clear();
    days.set(day, { through, readAt: now, hours: found.filter(({ hour }) => hour < through) });
  }
  return found;
}

type Row = Sums & { hour: number | null; channel: number };

/** One statement reads both sides, so that a call which is settled meanwhile is in both or in none. */
async function readAfter(
  { db }: Store,
  day: number,
  { through, hours }: Pick<Kept, 'through' | 'hours'>,
): Promise<readonly ChannelHour[] | undefined> {
  const { rows } = await sql<Row>`
    select day as hour, channel_id as channel, ${figuresOfCalls}
    from (${logHours(through, day + DAY_SECONDS)}) as logged group by 1, 2
    union all select null, channel_id, ${figuresOfCalls} from margin_days where day = ${day} group by channel_id`.execute(
    db,
  );
  const logged = [...hours, ...rows.filter((row): row is ChannelHour => row.hour !== null)];
  const rest = new Map<number, Sums>();
  for (const row of rows) if (row.hour === null) rest.set(row.channel, { ...row });
  for (const row of logged) {
    const left = rest.get(row.channel);
    if (left === undefined) return undefined;
    for (const name of NAMES) left[name] -= row[name];
  }
  return [...rest.values()].every((left) => NAMES.every((name) => left[name] === 0)) ? logged : undefined;
}
