/**
 * A console opened before an update requests chunks that no longer exist. It then reloads with the new build,
 * at most once a minute and only while the server answers: without a network the page must stay open.
 */

const KEY = 'stale-build-reload';
const PAUSE_MILLISECONDS = 60_000;

export function mayReload(last: string | null, nowMilliseconds: number, online: boolean): boolean {
  return online && nowMilliseconds - Number(last ?? 0) > PAUSE_MILLISECONDS;
}

async function reloadIfServed(): Promise<void> {
  const answer = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (!answer?.ok) return;
  sessionStorage.setItem(KEY, String(Date.now()));
  window.location.reload();
}

export function reloadOnStaleBuild(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (!mayReload(sessionStorage.getItem(KEY), Date.now(), navigator.onLine)) return;
    event.preventDefault();
    void reloadIfServed();
  });
}
