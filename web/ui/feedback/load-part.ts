/**
 * Loads a lazy part of the page. A short network failure must not break the page, so the load is
 * retried: at once when the network is back, else after a pause.
 */

const TRIES = 20;
const PAUSE_MILLISECONDS = 3000;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.('online', done);
  });
}

export async function loadPart<Part>(
  load: () => Promise<Part>,
  { tries = TRIES, pauseMilliseconds = PAUSE_MILLISECONDS } = {},
): Promise<Part> {
  for (let attempt = 1; attempt < tries; attempt += 1) {
    // An empty module means that the load was aborted because the page is about to reload.
    const part = await load().catch(() => undefined);
    if (part !== undefined) return part;
    await pause(pauseMilliseconds);
  }
  return load();
}
