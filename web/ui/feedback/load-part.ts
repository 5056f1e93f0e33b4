/**
 * Loads a part of the page that may come late. A network that is gone for a moment must not break the page, so it is
 * asked for again: at once when the network is back, else after a pause.
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
    // An empty answer is a load that was given up because the page is about to start again.
    const part = await load().catch(() => undefined);
    if (part !== undefined) return part;
    await pause(pauseMilliseconds);
  }
  return load();
}
