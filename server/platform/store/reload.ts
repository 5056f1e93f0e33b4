// Reads rows into memory again after a change: one reading at a time, and one more after it for calls that came meanwhile.

/** Resolves when what was there at the time of the call has been read; rejects if that reading failed. */
export type Reload = () => Promise<void>;

export function reloadInTurn(read: () => Promise<void>): Reload {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function run(before: Promise<void> | undefined): Promise<void> {
    // Its own callers got its failure.
    await before?.catch(() => {});
    if (before !== undefined) {
      running = next;
      next = undefined;
    }
    try {
      await read();
    } finally {
      // A call that came meanwhile is `next` already.
      if (next === undefined) running = undefined;
    }
  }

  return () => {
    if (running === undefined) {
      running = run(undefined);
      return running;
    }
    next ??= run(running);
    return next;
  };
}
