// Which groups have a channel for which model. The list is public, so it is cached until channels change.
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Model to the groups that can call it. */
export type Offers = ReadonlyMap<string, ReadonlySet<string>>;

/** A change that was not announced (a row edited by hand) shows after this. */
const KEPT_MILLISECONDS = 60_000;

export function createOffers(store: Store): () => Promise<Offers> {
  let kept: { offers: Promise<Offers>; until: number } | undefined;
  store.changes.subscribe('channels', () => {
    kept = undefined;
  });
  return () => {
    const now = performance.now();
    if (kept === undefined || kept.until < now) {
      const reading = readOffers(store);
      const entry = { offers: reading, until: now + KEPT_MILLISECONDS };
      kept = entry;
      // A failed query is not cached.
      reading.catch(() => {
        if (kept === entry) kept = undefined;
      });
    }
    return kept.offers;
  };
}

async function readOffers(store: Store): Promise<Offers> {
  const rows = await readOfferedModels(store);
  const offers = new Map<string, Set<string>>();
  for (const { model, group } of rows) {
    const groups = offers.get(model);
    if (groups) groups.add(group);
    else offers.set(model, new Set([group]));
  }
  return offers;
}
