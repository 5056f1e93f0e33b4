// The cached answers of this node and what removes them: their time, a purge that is announced to every node, and changes of keys, accounts and
// settings (ADR 123). A cache that finds answers by another likeness than equality would stand behind the same interface.
import type { Log } from '#contract/context.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createAnswerFigures, type AnswerFigures } from './figures.ts';
import { removeWithdrawn } from './withdrawn.ts';
import { AnswerStore, type AnswerFilter, type KeptAnswer } from './store.ts';

export interface AnswerCacheState {
  readonly hits: number;
  readonly misses: number;
  readonly bypasses: number;
  readonly evicted: number;
  readonly entries: number;
  readonly bytes: number;
}

export interface AnswerCache {
  /** Undefined where none is kept, or none that is young enough. */
  find(key: string, mostAgeSeconds: number): KeptAnswer | undefined;
  /** A call begins whose answer may be kept: what is removed until it ends concerns its answer too. */
  begin(): (answer: KeptAnswer) => void;
  /** Of a request: HMAC under a key of the installation. */
  digest(text: string): string;
  /** Here and on every other node. The number is of this node. */
  purge(filter: AnswerFilter): Promise<number>;
  count(outcome: 'hit' | 'miss' | 'bypass'): void;
  readonly figures: AnswerFigures;
  readonly state: AnswerCacheState;
  close(): Promise<void>;
}

const DIGEST_PURPOSE = 'answer cache';
/** What has expired is removed from memory this often, also where nobody asks for it. */
const SWEEP_MILLISECONDS = 30_000;
const MEGABYTE = 1024 * 1024;

export function createAnswerCache(store: Store, settings: SettingsReader, log: Log): AnswerCache {
  const answers = new AnswerStore();
  const figures = createAnswerFigures(store, log);
  const counts = { hit: 0, miss: 0, bypass: 0 };
  /** Each removal: an answer of a call that began before it is not kept. */
  let generation = 0;
  let sweeping: ReturnType<typeof setInterval> | undefined;

  function remove(filter: AnswerFilter): number {
    generation += 1;
    return answers.purge(filter);
  }

  function sweep(): void {
    const now = Date.now();
    answers.removeWhere(({ expiresAt }) => expiresAt <= now);
    if (answers.size > 0) return;
    clearInterval(sweeping);
    sweeping = undefined;
  }

  /** A key or an account has changed: whose right to be answered has ended is looked up. */
  const check = async (): Promise<void> => {
    generation += 1;
    if (answers.size === 0) return;
    try {
      await removeWithdrawn(store, settings.current.AnswerCache, answers);
    } catch (error) {
      // Better none than one that should be gone.
      remove({});
      log.warn('cached answers could not be checked and were removed', { error });
    }
  };

  const stops = [
    store.changes.subscribe('tokens', check),
    store.changes.subscribe('users', check),
    store.changes.subscribe('organizations', check),
    store.changes.subscribe('answer_cache', (detail) => {
      remove(filterIn(detail));
    }),
    settings.onChange(({ AnswerCache: mode }) => {
      if (mode === 'off') remove({});
      else answers.shrink(boundsOf(settings));
      // A key may have been kept by the mode alone.
      if (mode === 'opt_in') void check();
    }),
  ];

  return {
    find(key, mostAgeSeconds) {
      const now = Date.now();
      const found = answers.find(key, now);
      return found !== undefined && now - found.keptAt <= mostAgeSeconds * 1000 ? found : undefined;
    },
    begin() {
      const begun = generation;
      return (answer) => {
        if (begun !== generation) return;
        answers.put(answer, boundsOf(settings));
        if (sweeping === undefined) {
          sweeping = setInterval(sweep, SWEEP_MILLISECONDS);
          sweeping.unref();
        }
      };
    },
    digest: (text) => store.vault.digest(DIGEST_PURPOSE, text),
    async purge(filter) {
      const removed = remove(filter);
      await store.changes.announce('answer_cache', JSON.stringify(filter));
      return removed;
    },
    count(outcome) {
      counts[outcome] += 1;
    },
    figures,
    get state() {
      const { hit, miss, bypass } = counts;
      const { evicted, size, bytes } = answers;
      return { hits: hit, misses: miss, bypasses: bypass, evicted, entries: size, bytes };
    },
    async close() {
      for (const stop of stops) stop();
      clearInterval(sweeping);
      await figures.flush();
    },
  };
}

function boundsOf({ current }: SettingsReader) {
  return { bytes: current.AnswerCacheMegabytes * MEGABYTE, entries: current.AnswerCacheEntries };
}

/** After a lost connection the details are lost too: then everything may be meant. */
function filterIn(detail: string | undefined): AnswerFilter {
  return detail === undefined ? {} : (JSON.parse(detail) as AnswerFilter);
}
