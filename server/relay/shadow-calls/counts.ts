// How many copies each comparison made, and why chosen calls got none. Counted in memory and written every few seconds: calls that are
// dropped because the node is busy must not make it busier.
import type { Log } from '#contract/context.ts';
import type { ShadowDrop } from '#contract/relay/shadow-calls.ts';
import type { Store } from '#server/platform/store/store.ts';

export type ShadowCount = ShadowDrop | 'made' | 'failed';

export interface ShadowCounts {
  add(shadowId: number, what: ShadowCount): void;
  flush(): Promise<void>;
}

const WRITE_AFTER_MILLISECONDS = 2000;

export function createShadowCounts(store: Store, log: Log): ShadowCounts {
  let waiting = new Map<number, Map<ShadowCount, number>>();
  let timer: Timer | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(counts: typeof waiting): Promise<void> {
    for (const [shadowId, own] of [...counts].toSorted(([left], [right]) => left - right))
      await addCounts(store, shadowId, own).catch((error: unknown) =>
        log.warn('the counts of a comparison could not be written', { shadow_id: shadowId, error }),
      );
  }

  function begin(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const counts = waiting;
    waiting = new Map();
    if (counts.size > 0) writing = writing.then(() => write(counts));
    return writing;
  }

  return {
    add(shadowId, what) {
      let own = waiting.get(shadowId);
      if (own === undefined) waiting.set(shadowId, (own = new Map()));
      own.set(what, (own.get(what) ?? 0) + 1);
      timer ??= setTimeout(() => void begin(), WRITE_AFTER_MILLISECONDS);
    },
    flush: begin,
  };
}

async function addCounts(
  { db }: Store,
  shadowId: number,
  counts: ReadonlyMap<ShadowCount, number>,
): Promise<void> {
  await db
    .insertInto('shadow_counts')
    .values({ shadow_id: shadowId, ...Object.fromEntries(counts) })
    .onConflict((conflict) =>
      conflict
        .column('shadow_id')
        .doUpdateSet((all) =>
          Object.fromEntries(
            [...counts.keys()].map((name) => [
              name,
              all(`shadow_counts.${name}`, '+', all.ref(`excluded.${name}`)),
            ]),
          ),
        ),
    )
    .execute();
}
