// What signing a request takes, over a door that is handed in: exchanged tokens are remembered until shortly before they
// expire, and those who ask at the same time share one exchange.
import type { SigningTools } from '#server/providers/provider.ts';

export interface SigningDoor {
  fetch(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: string },
  ): Promise<Response>;
  now?(): Date;
}

/** Shared by every channel of a process; the key of an entry says whose it is. */
export interface TokenMemory {
  entries: Map<string, { value: Promise<string>; expiresAt: number }>;
}

/** An upstream that refused to give a token; the text is its own and may be long. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** Used no longer than this before the end: a token must outlive the call that carries it. */
const marginMilliseconds = 60_000;
const mostEntries = 10_000;

export function createTokenMemory(): TokenMemory {
  return { entries: new Map() };
}

export function signingTools(door: SigningDoor, memory: TokenMemory): SigningTools {
  const now = (): Date => door.now?.() ?? new Date();
  const { entries } = memory;
  return {
    now,
    async fetchJson(url, request) {
      const response = await door.fetch(url, request);
      const text = await response.text();
      if (!response.ok) throw new ExchangeError(response.status, text.slice(0, 500));
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new ExchangeError(response.status, 'no JSON in the answer');
      }
    },
    remember(key, make) {
      const known = entries.get(key);
      if (known !== undefined && known.expiresAt > now().getTime()) return known.value;
      if (entries.size >= mostEntries) entries.clear();
      const made = make();
      const entry = { value: made.then(({ value }) => value), expiresAt: Number.POSITIVE_INFINITY };
      entries.set(key, entry);
      made.then(
        ({ expiresAt }) => {
          entry.expiresAt = expiresAt.getTime() - marginMilliseconds;
        },
        () => {
          // The next one tries again.
          if (entries.get(key) === entry) entries.delete(key);
        },
      );
      return entry.value;
    },
  };
}
