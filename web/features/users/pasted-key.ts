/**
 * A key that was pasted into a search. It is handed to "Find a key" in memory: in an address it would stay in the history of
 * the browser and in the logs of servers on the way.
 */
import { TOKEN_KEY_LENGTH, TOKEN_KEY_PREFIX } from '#contract/admin/tokens.ts';

/** Shorter texts with the prefix are names; a masked key (`sk-abcd…wxyz`) has fewer characters in a row. */
const SHORTEST_KEY = 20;
const PREFIXED = new RegExp(`${TOKEN_KEY_PREFIX}[\\w-]{${SHORTEST_KEY},}`);
const BARE = new RegExp(`^[A-Za-z0-9]{${TOKEN_KEY_LENGTH}}$`);

/** The key in a text, also within other words (`Bearer sk-…`); undefined when there is none. */
export function keyIn(text: string): string | undefined {
  const trimmed = text.trim();
  return PREFIXED.exec(trimmed)?.[0] ?? BARE.exec(trimmed)?.[0];
}

let kept = '';

export function keepPastedKey(key: string): void {
  kept = key;
}

export const pastedKey = (): string => kept;
