// Implements SigningTools: exchanged tokens are cached until shortly before they expire, and concurrent requests share one
// exchange.
import type { SigningTools } from '#server/models/providers/provider.ts';

export interface SigningEgress {
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response>;
  now?(): Date;
}

/** Shared by all channels of a process; the entry's key names the credentials. */
export interface TokenCache {
  entries: Map<string, { value: Promise<string>; expiresAt: number }>;
}

/** A token endpoint refused; the message is its answer. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A token is renewed this long before it expires, so that it outlasts the call. */
const MARGIN_MILLISECONDS = 60_000;
const MOST_ENTRIES = 10_000;

export function createTokenCache(): TokenCache {
  return { entries: new Map() };
}

export function signingTools(egress: SigningEgress, cache: TokenCache): SigningTools {
  const now = (): Date => egress.now?.() ?? new Date();
  const { entries } = cache;
  return {
    now,
    async fetchJson(url, request) {
      const response = await egress.fetch(url, request);
      const text = await response.text();
      if (!response.ok) throw new ExchangeError(response.status, text.slice(0, 500));
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new ExchangeError(response.status, 'no JSON in the answer');
      }
    },
    cached(key, make) {
      const known = entries.get(key);
      if (known !== undefined && known.expiresAt > now().getTime()) return known.value;
      if (entries.size >= MOST_ENTRIES) entries.clear();
      const made = make();
      const entry = { value: made.then(({ value }) => value), expiresAt: Number.POSITIVE_INFINITY };
      entries.set(key, entry);
      made.then(
        ({ expiresAt }) => {
          entry.expiresAt = expiresAt.getTime() - MARGIN_MILLISECONDS;
        },
        () => {
          // The next request tries again.
          if (entries.get(key) === entry) entries.delete(key);
        },
      );
      return entry.value;
    },
  };
}
