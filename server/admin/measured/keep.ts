// Keeps what was read, so that a page which everybody may open costs one read a minute at most.

interface Kept<Value> {
  at: number;
  value: Promise<Value>;
}

/** Older than this, a reader waits for the new one. */
const OLDEST_SECONDS = 600;
const MOST_KEPT = 1000;

/**
 * `make` runs once per key and time, however many ask. While it runs again readers get what is kept; when it fails they get that
 * too, until it is too old.
 */
export function keeper<Value>(
  make: (key: string) => Promise<Value>,
  { seconds, now }: { seconds: number; now: () => number },
): (key: string) => Promise<Value> {
  const known = new Map<string, Kept<Value>>();

  function begin(key: string): Promise<Value> {
    const before = known.get(key);
    const at = now();
    const value = make(key);
    const kept: Kept<Value> = { at, value: before?.value ?? value };
    if (known.size >= MOST_KEPT && before === undefined) known.clear();
    known.set(key, kept);
    value.then(
      () => known.set(key, { at, value }),
      () => {
        // The next reader tries again.
        if (before === undefined) known.delete(key);
        else known.set(key, before);
      },
    );
    return value;
  }

  return (key) => {
    const kept = known.get(key);
    if (kept === undefined) return begin(key);
    const age = now() - kept.at;
    if (age < seconds) return kept.value;
    const value = begin(key);
    if (age >= OLDEST_SECONDS) return value;
    value.catch(() => {});
    return kept.value;
  };
}
