// Counts every attempt for its channel: also those of calls that another channel answered, and streams that broke off. The
// counts are numbers in memory that a timer adds to the table; a process that dies loses those of two seconds.
import type { Log } from '#contract/context.ts';
import { FIRST_TOKEN_LIMITS, firstTokenClass } from '#contract/relay/channel-health.ts';
import { sql } from 'kysely';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { writeLater } from '#server/platform/store/write-later.ts';

export interface FailedAttempt {
  requestId: string;
  /** The upstream's words, with keys masked. */
  words: string;
}

export interface ChannelHealth {
  /** An attempt ended; without `failure` it succeeded, or the caller's request was at fault. */
  answered(channelId: number, failure?: FailedAttempt): void;
  /** A stream that had begun ended; `broken` when the upstream broke it off. */
  streamed(channelId: number, firstTokenMilliseconds: number, broken?: FailedAttempt): void;
  /** Writes what is counted. */
  flush(): Promise<void>;
}

interface Counts {
  attempts: number;
  failures: number;
  broken: number;
  firstTokens: number[];
  lastError: (FailedAttempt & { at: number }) | undefined;
}

const WRITE_AFTER_MILLISECONDS = 2000;
const classes = Array.from({ length: FIRST_TOKEN_LIMITS.length + 1 }, (_, index) => `first_${index}`);
const columns = ['attempts', 'failures', 'broken', ...classes];

export function createChannelHealth(store: Store, log: Log): ChannelHealth {
  let pending = new Map<number, Counts>();

  const later = writeLater(
    async () => {
      if (pending.size === 0) return;
      const taken = pending;
      pending = new Map();
      try {
        await write(store, taken);
      } catch (error) {
        for (const [id, counts] of taken) add(countsOf(id), counts);
        throw error;
      }
    },
    (error) => {
      log.warn('the attempts of channels could not be written', { error });
      later.changed();
    },
    WRITE_AFTER_MILLISECONDS,
  );

  const countsOf = (channelId: number): Counts => pending.get(channelId) ?? newCounts(channelId);

  function newCounts(channelId: number): Counts {
    const firstTokens = classes.map(() => 0);
    const counts = { attempts: 0, failures: 0, broken: 0, firstTokens, lastError: undefined };
    pending.set(channelId, counts);
    return counts;
  }

  function count(channelId: number, failure: FailedAttempt | undefined): Counts {
    const counts = countsOf(channelId);
    counts.attempts += 1;
    if (failure !== undefined) addFailure(counts, failure);
    later.changed();
    return counts;
  }

  return {
    answered(channelId, failure) {
      count(channelId, failure);
    },
    streamed(channelId, firstTokenMilliseconds, broken) {
      const counts = count(channelId, broken);
      if (broken !== undefined) counts.broken += 1;
      const place = firstTokenClass(firstTokenMilliseconds);
      counts.firstTokens[place] = (counts.firstTokens[place] ?? 0) + 1;
    },
    flush: () => later.flush(),
  };
}

function addFailure(counts: Counts, failure: FailedAttempt): void {
  counts.failures += 1;
  counts.lastError = { ...failure, at: unixSeconds() };
}

function add(counts: Counts, more: Counts): void {
  counts.attempts += more.attempts;
  counts.failures += more.failures;
  counts.broken += more.broken;
  counts.firstTokens = counts.firstTokens.map((value, index) => value + (more.firstTokens[index] ?? 0));
  counts.lastError ??= more.lastError;
}

/** The dashboard reads a year. */
export async function removeOldHealth({ db }: Store): Promise<void> {
  const before = unixSeconds() - 366 * 24 * HOUR_SECONDS;
  await db.deleteFrom('channel_hours').where('hour', '<', before).execute();
}

/** In the order of the ids: two nodes that write the same channels wait for each other instead of deadlocking. */
async function write({ db }: Store, taken: ReadonlyMap<number, Counts>): Promise<void> {
  const now = unixSeconds();
  const hour = now - (now % HOUR_SECONDS);
  const rows = [...taken].toSorted(([left], [right]) => left - right);
  const values = rows.map(
    ([id, { attempts, failures, broken, firstTokens }]) =>
      sql`(${sql.join([id, hour, attempts, failures, broken, ...firstTokens])})`,
  );
  const names = sql.join(columns.map((name) => sql.ref(name)));
  const sums = columns.map(
    (name) => sql`${sql.ref(name)} = ${sql.ref(`channel_hours.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  );
  await sql`insert into channel_hours (channel_id, hour, ${names}) values ${sql.join(values)}
    on conflict (channel_id, hour) do update set ${sql.join(sums)}`.execute(db);
  const errors = rows.flatMap(([channel_id, { lastError }]) => {
    if (lastError === undefined) return [];
    const { at, requestId: request_id, words } = lastError;
    return [{ channel_id, at, request_id, words }];
  });
  if (errors.length === 0) return;
  await db
    .insertInto('channel_errors')
    .values(errors)
    .onConflict((conflict) =>
      conflict.column('channel_id').doUpdateSet((builder) => ({
        at: builder.ref('excluded.at'),
        request_id: builder.ref('excluded.request_id'),
        words: builder.ref('excluded.words'),
      })),
    )
    .execute();
}
