// The cached answers of this node, in its memory only: bounded in bytes and number, the least recently used go first. One account holds at most a
// quarter of the bytes, so that none empties the cache of the others.
import type { Usage } from '#server/money/prices/usage.ts';

export interface KeptAnswer {
  /** Keyed hash of scope and request. */
  readonly key: string;
  /** Whose call made it: the account that paid, and the API key. */
  readonly userId: number;
  readonly tokenId: number;
  /** As the caller named it. */
  readonly model: string;
  readonly contentType: string;
  /** All of a whole answer; of a stream what comes before its closing event. */
  readonly body: Uint8Array;
  readonly closing: Uint8Array;
  readonly usage: Usage;
  /** The conversion receipt as JSON. */
  readonly conversion: string | undefined;
  /** Milliseconds. */
  readonly keptAt: number;
  readonly expiresAt: number;
}

/** All that are named must fit; nothing named is everything. */
export interface AnswerFilter {
  readonly key?: string | undefined;
  readonly user_id?: number | undefined;
  readonly token_id?: number | undefined;
  readonly model?: string | undefined;
}

export interface StoreBounds {
  readonly bytes: number;
  readonly entries: number;
}

/** What an entry costs beside its text. */
const OVERHEAD_BYTES = 1024;
const LARGEST_SHARE = 4;

const bytesOf = ({ body, closing, model }: KeptAnswer): number =>
  body.length + closing.length + model.length * 2 + OVERHEAD_BYTES;

export class AnswerStore {
  /** In the order of their last use. */
  readonly #entries = new Map<string, KeptAnswer>();
  readonly #byUser = new Map<number, number>();
  #bytes = 0;
  /** Answers that were removed to make room. */
  evicted = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: string, now: number): KeptAnswer | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    if (found.expiresAt <= now) {
      this.#remove(found);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  put(entry: KeptAnswer, bounds: StoreBounds): void {
    const before = this.#entries.get(entry.key);
    if (before !== undefined) this.#remove(before);
    const bytes = bytesOf(entry);
    const share = Math.floor(bounds.bytes / LARGEST_SHARE);
    if (bytes > share) return;
    this.#makeRoomFor(entry.userId, share - bytes);
    this.#entries.set(entry.key, entry);
    this.#bytes += bytes;
    this.#byUser.set(entry.userId, (this.#byUser.get(entry.userId) ?? 0) + bytes);
    this.shrink(bounds);
  }

  shrink({ bytes, entries }: StoreBounds): void {
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= bytes && this.#entries.size <= entries) return;
      this.#remove(oldest);
      this.evicted += 1;
    }
  }

  #makeRoomFor(userId: number, most: number): void {
    if ((this.#byUser.get(userId) ?? 0) <= most) return;
    for (const oldest of this.#entries.values()) {
      if (oldest.userId !== userId) continue;
      this.#remove(oldest);
      this.evicted += 1;
      if ((this.#byUser.get(userId) ?? 0) <= most) return;
    }
  }

  /** How many were removed. */
  purge({ key, user_id, token_id, model }: AnswerFilter): number {
    const isMeant = (entry: KeptAnswer) =>
      (key === undefined || entry.key === key) &&
      (user_id === undefined || entry.userId === user_id) &&
      (token_id === undefined || entry.tokenId === token_id) &&
      (model === undefined || entry.model === model);
    return this.removeWhere(isMeant);
  }

  removeWhere(isMeant: (entry: KeptAnswer) => boolean): number {
    let removed = 0;
    for (const entry of this.#entries.values()) {
      if (!isMeant(entry)) continue;
      this.#remove(entry);
      removed += 1;
    }
    return removed;
  }

  all(): Iterable<KeptAnswer> {
    return this.#entries.values();
  }

  #remove(entry: KeptAnswer): void {
    this.#entries.delete(entry.key);
    const bytes = bytesOf(entry);
    this.#bytes -= bytes;
    const left = (this.#byUser.get(entry.userId) ?? 0) - bytes;
    if (left > 0) this.#byUser.set(entry.userId, left);
    else this.#byUser.delete(entry.userId);
  }
}
