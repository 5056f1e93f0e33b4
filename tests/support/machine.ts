// How slow the machine is at this moment, measured by a fixed piece of work, and waits that last longer on a slow one. Nothing that a
// test waits for fails because other processes take the processors.

/** What the work takes on a quiet machine like the one in docs/fault-results.md. */
const quietMilliseconds = 20;
const rounds = 24;
const block = new Uint8Array(1 << 20);
/** A measurement blocks the process, so it is not repeated at once. */
const keptMilliseconds = 2000;
/** However slow: a fault has to be seen before the runner ends the process. */
const most = 8;

function work(): void {
  const hasher = new Bun.CryptoHasher('sha256');
  for (let round = 0; round < rounds; round += 1) hasher.update(block);
  hasher.digest();
}

let measured = 1;
let measuredAt = -Infinity;

/** So many times longer than on a quiet machine does everything take now; at least 1. */
export function slowness(): number {
  if (performance.now() - measuredAt < keptMilliseconds) return measured;
  const startedAt = performance.now();
  work();
  measuredAt = performance.now();
  measured = Math.min(most, Math.max(1, (measuredAt - startedAt) / quietMilliseconds));
  return measured;
}

/**
 * Begins a wait of that length on a quiet machine, and gives a function that tells when it is over. The machine is measured only
 * when the time is up, so that a wait that ends early costs nothing.
 */
export function startPatience(
  milliseconds: number,
  now: () => number = () => performance.now(),
  slow: () => number = slowness,
): () => boolean {
  const startedAt = now();
  return () => {
    const waited = now() - startedAt;
    return waited > milliseconds && waited > milliseconds * slow();
  };
}
