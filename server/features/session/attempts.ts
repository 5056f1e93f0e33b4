// Back-off of password guessing. Waiting times double with every failure and are bounded, so nobody is locked out for
// good; an address the owner signed in from before is not held up by what strangers do to the account.

export interface Attempts {
  /** Counts a try. Seconds to wait before it may be made; 0 = now. A try that must wait is not counted. */
  begin(account: string, address: string): number;
  /** The password was right. */
  succeed(account: string, address: string): void;
}

interface Tries {
  failures: number;
  lastAt: number;
  /** The owner signed in here. */
  known: boolean;
}

interface Rule {
  free: number;
  longestSeconds: number;
}

/** One address on one account; one account from everywhere; one address on everything. */
const RULES = {
  pair: { free: 5, longestSeconds: 900 },
  account: { free: 30, longestSeconds: 30 },
  address: { free: 50, longestSeconds: 900 },
} as const satisfies Record<string, Rule>;
const FORGET_SECONDS = 3600;
const MOST_ENTRIES = 20_000;

export function createAttempts(now: () => number = () => Date.now() / 1000): Attempts {
  const entries = new Map<string, Tries>();

  function triesOf(key: string): Tries {
    const found = entries.get(key) ?? { failures: 0, lastAt: 0, known: false };
    if (now() - found.lastAt > FORGET_SECONDS) found.failures = 0;
    // Re-inserted: the map's order is the order of last use.
    entries.delete(key);
    entries.set(key, found);
    if (entries.size > MOST_ENTRIES) {
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    }
    return found;
  }

  function waitOf(tries: Tries, rule: Rule): number {
    if (tries.failures < rule.free) return 0;
    const delay = Math.min(rule.longestSeconds, 2 ** Math.min(20, tries.failures - rule.free));
    return Math.max(0, tries.lastAt + delay - now());
  }

  return {
    begin(account, address) {
      const name = account.toLowerCase();
      const pair = triesOf(`pair ${name} ${address}`);
      const whole = triesOf(`account ${name}`);
      const from = triesOf(`address ${address}`);
      const wait = Math.max(
        waitOf(pair, RULES.pair),
        pair.known ? 0 : waitOf(whole, RULES.account),
        waitOf(from, RULES.address),
      );
      if (wait > 0) return Math.ceil(wait);
      // Counted before the password is checked: parallel guesses must not all see the same count.
      for (const tries of [pair, whole, from]) {
        tries.failures += 1;
        tries.lastAt = now();
      }
      return 0;
    },
    succeed(account, address) {
      const name = account.toLowerCase();
      Object.assign(triesOf(`pair ${name} ${address}`), { failures: 0, known: true });
      const whole = triesOf(`account ${name}`);
      whole.failures = Math.max(0, whole.failures - 1);
      const from = triesOf(`address ${address}`);
      from.failures = Math.max(0, from.failures - 1);
    },
  };
}
