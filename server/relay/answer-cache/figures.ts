// How often calls were answered with cached answers and what that saved, by account and hour: counted in memory and written a moment later. They
// are figures for people; the money is in the ledger.
import type { Log } from '#contract/context.ts';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { writeLater } from '#server/platform/store/write-later.ts';

const WRITE_AFTER_MILLISECONDS = 2000;

export interface Counted {
  hits: number;
  misses: number;
  /** Quota units. */
  saved: number;
}

export interface AnswerFigures {
  hit(userId: number, saved: number): void;
  miss(userId: number): void;
  flush(): Promise<void>;
}

export function createAnswerFigures(store: Store, log: Log): AnswerFigures {
  let pending = new Map<number, Counted>();
  const later = writeLater(
    async () => {
      if (pending.size === 0) return;
      const taken = pending;
      pending = new Map();
      try {
        await write(store, taken);
      } catch (error) {
        for (const [userId, counts] of taken) add(userId, counts);
        throw error;
      }
    },
    (error) => {
      log.warn('the figures of cached answers could not be written', { error });
      later.changed();
    },
    WRITE_AFTER_MILLISECONDS,
  );

  function add(userId: number, { hits, misses, saved }: Counted): void {
    const counts = pending.get(userId);
    if (counts === undefined) pending.set(userId, { hits, misses, saved });
    else {
      counts.hits += hits;
      counts.misses += misses;
      counts.saved += saved;
    }
    later.changed();
  }

  return {
    hit: (userId, saved) => add(userId, { hits: 1, misses: 0, saved }),
    miss: (userId) => add(userId, { hits: 0, misses: 1, saved: 0 }),
    flush: () => later.flush(),
  };
}

/** The dashboard reads a year. */
export async function removeOldAnswerFigures({ db }: Store): Promise<void> {
  await db
    .deleteFrom('answer_cache_hours')
    .where('hour', '<', unixSeconds() - 366 * 24 * HOUR_SECONDS)
    .execute();
}

/** In the order of the accounts: two nodes that write the same rows wait for each other instead of deadlocking. */
async function write({ db }: Store, taken: ReadonlyMap<number, Counted>): Promise<void> {
  const now = unixSeconds();
  const hour = now - (now % HOUR_SECONDS);
  const values = [...taken]
    .toSorted(([left], [right]) => left - right)
    .map(([user_id, counts]) => ({ hour, user_id, ...counts }));
  await db
    .insertInto('answer_cache_hours')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'user_id']).doUpdateSet((all) => ({
        hits: all('answer_cache_hours.hits', '+', all.ref('excluded.hits')),
        misses: all('answer_cache_hours.misses', '+', all.ref('excluded.misses')),
        saved: all('answer_cache_hours.saved', '+', all.ref('excluded.saved')),
      })),
    )
    .execute();
}
