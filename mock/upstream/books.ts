// The mock's own count of what it served, independent of the gateway's figures: the other side of the checks that both
// agree.
import type { MockUsage } from './behaviour.ts';

export type RecordEnding = 'open' | 'complete' | 'refused' | 'aborted' | 'reset' | 'cut';

export interface ServedRequest {
  id: string;
  tag: string;
  key: string;
  path: string;
  model: string;
  stream: boolean;
  status: number;
  /** The usage of the whole answer, also if it was not reported or the caller left. */
  usage: MockUsage;
  usageReports: number;
  eventsWritten: number;
  bytesWritten: number;
  outputTokensWritten: number;
  ending: RecordEnding;
  startedAtMilliseconds: number;
  endedAtMilliseconds: number;
  /** The generation of the books: a request that began before a reset does not count after it. */
  generation: number;
  /** Only when the mock keeps requests (not in benches). */
  body: unknown;
  headers: Record<string, string>;
}

export interface Totals extends MockUsage {
  requests: number;
  open: number;
  complete: number;
  refused: number;
  aborted: number;
  broken: number;
  /** Output tokens written into streams that did not reach their end. */
  partialOutputTokens: number;
}

export interface BooksSummary {
  totals: Totals;
  keys: Record<string, Totals>;
}

export const NO_USAGE: MockUsage = Object.freeze({
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  cacheWriteHourInputTokens: 0,
  audioInputTokens: 0,
  imageInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioOutputTokens: 0,
});

const USAGE_FIELDS = Object.keys(NO_USAGE) as (keyof MockUsage)[];

export class Books {
  totals = emptyTotals();
  generation = 0;
  readonly #limit: number;
  #keys = new Map<string, Totals>();
  #requests: ServedRequest[] = [];

  /** `limit` requests are kept one by one (the older half is dropped first); totals are always complete. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get keepsRequests(): boolean {
    return this.#limit > 0;
  }

  get requests(): readonly ServedRequest[] {
    return this.#requests;
  }

  open(record: ServedRequest): void {
    for (const totals of this.#totalsOf(record.key)) {
      totals.requests += 1;
      totals.open += 1;
    }
    if (this.#limit === 0) return;
    if (this.#requests.length >= this.#limit) this.#requests = this.#requests.slice(this.#limit >> 1);
    this.#requests.push(record);
  }

  close(record: ServedRequest, ending: Exclude<RecordEnding, 'open'>): void {
    if (record.ending !== 'open') return;
    record.ending = ending;
    record.endedAtMilliseconds = Date.now();
    if (record.generation !== this.generation) return;
    for (const totals of this.#totalsOf(record.key)) {
      totals.open -= 1;
      if (ending === 'complete') {
        totals.complete += 1;
        for (const field of USAGE_FIELDS) totals[field] += record.usage[field];
        continue;
      }
      if (ending === 'refused') totals.refused += 1;
      else if (ending === 'aborted') totals.aborted += 1;
      else totals.broken += 1;
      totals.partialOutputTokens += record.outputTokensWritten;
    }
  }

  summary(): BooksSummary {
    return { totals: this.totals, keys: Object.fromEntries(this.#keys) };
  }

  ofKey(key: string): Totals {
    return this.#keys.get(key) ?? emptyTotals();
  }

  reset(): void {
    this.generation += 1;
    this.totals = emptyTotals();
    this.#keys = new Map();
    this.#requests = [];
  }

  #totalsOf(key: string): [Totals, Totals] {
    let ofKey = this.#keys.get(key);
    if (!ofKey) {
      ofKey = emptyTotals();
      this.#keys.set(key, ofKey);
    }
    return [this.totals, ofKey];
  }
}

function emptyTotals(): Totals {
  return {
    requests: 0,
    open: 0,
    complete: 0,
    refused: 0,
    aborted: 0,
    broken: 0,
    partialOutputTokens: 0,
    ...NO_USAGE,
  };
}
