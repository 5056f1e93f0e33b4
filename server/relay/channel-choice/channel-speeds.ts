// How quickly channels answer, for the order of channels: the median time to the first token of streams in the last hours, on
// all nodes. Read from the table again while the order needs it, never during a call.
import type { Log } from '#contract/context.ts';
import { FIRST_TOKEN_LIMITS, firstTokenPercentile } from '#contract/relay/channel-health.ts';
import { sql } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface ChannelSpeeds {
  /** Milliseconds; 0: not measured in the last hours. */
  firstToken(channelId: number): number;
  /** Changes with the figures. */
  readonly version: number;
  /** Reads the figures again if they are old; not awaited by calls. */
  refresh(): Promise<void>;
}

const REFRESH_MILLISECONDS = 15_000;
/** This hour and two before it: after that a channel without calls counts as not measured, and is tried again. */
const HOURS = 3;
/** Fewer say nothing about the median. */
const LEAST_STREAMS = 5;
const classes = Array.from({ length: FIRST_TOKEN_LIMITS.length + 1 }, (_, index) => `first_${index}`);

export function createChannelSpeeds(store: Store, log: Log, now: () => number = Date.now): ChannelSpeeds {
  let medians = new Map<number, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  let version = 0;

  async function read(): Promise<void> {
    try {
      medians = await readMedians(store, Math.floor(now() / 1000));
      version += 1;
    } catch (error) {
      log.warn('the speed of channels could not be read', { error });
    }
  }

  return {
    firstToken: (channelId) => medians.get(channelId) ?? 0,
    get version() {
      return version;
    },
    async refresh() {
      if (now() - readAt < REFRESH_MILLISECONDS) return;
      readAt = now();
      await read();
    },
  };
}

async function readMedians({ db }: Store, now: number): Promise<Map<number, number>> {
  const first = now - (now % HOUR_SECONDS) - (HOURS - 1) * HOUR_SECONDS;
  const sums = classes.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`);
  const { rows } = await sql<{ channel_id: number } & Record<string, number>>`
    select channel_id, ${sql.join(sums)} from channel_hours where hour >= ${first} group by channel_id`.execute(
    db,
  );
  const medians = new Map<number, number>();
  for (const row of rows) {
    const counts = classes.map((name) => row[name] ?? 0);
    const streams = counts.reduce((sum, count) => sum + count, 0);
    if (streams >= LEAST_STREAMS) medians.set(row.channel_id, firstTokenPercentile(counts, 0.5));
  }
  return medians;
}
