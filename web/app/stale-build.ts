/**
 * A console that was opened before an update asks for chunks that are gone. It then starts again with the new build;
 * once a minute at most, so that a broken installation shows its error instead of reloading for ever.
 */

const KEY = 'stale-build-reload';
const PAUSE_MILLISECONDS = 60_000;

export function mayReload(last: string | null, nowMilliseconds: number): boolean {
  return nowMilliseconds - Number(last ?? 0) > PAUSE_MILLISECONDS;
}

export function reloadOnStaleBuild(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const now = Date.now();
    if (!mayReload(sessionStorage.getItem(KEY), now)) return;
    event.preventDefault();
    sessionStorage.setItem(KEY, String(now));
    window.location.reload();
  });
}
