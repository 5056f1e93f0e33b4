// /healthz: the process responds. /readyz: it should get traffic, i.e. the database responds and takes writes, and the node is
// not draining.
import type { Store } from '#server/platform/store/store.ts';

export interface Health {
  live(): Response;
  ready(): Promise<Response>;
  /** Not ready from now on, so that a balancer removes this node before it stops accepting. */
  drain(): void;
  /** As the super admin asks: not ready until it is taken back. Calls that come all the same are served. */
  setDrained(wanted: boolean): void;
  readonly isDraining: boolean;
}

const DATABASE_PATIENCE_MS = 2000;
const RETRY_SECONDS = 5;

/** A full or read-only disk still answers reads: what the ledger could write last decides. */
interface Spending {
  readonly isWritable: boolean;
}

export function createHealth(store: Pick<Store, 'ping'>, spending: Spending): Health {
  let isEnding = false;
  let isDrained = false;

  async function databaseAnswers(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), DATABASE_PATIENCE_MS);
    const asked = store.ping().then(
      () => true,
      () => false,
    );
    const answered = await Promise.race([asked, late.promise]);
    clearTimeout(timer);
    return answered;
  }

  return {
    live: () => say('ok', 200),
    async ready() {
      if (isEnding || isDrained) return say('draining', 503);
      if (!(await databaseAnswers())) return say('database unavailable', 503);
      return spending.isWritable ? say('ready', 200) : say('not writable', 503);
    },
    drain() {
      isEnding = true;
    },
    setDrained(wanted) {
      isDrained = wanted;
    },
    get isDraining() {
      return isEnding || isDrained;
    },
  };
}

function say(status: string, code: number): Response {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  if (code !== 200) headers['Retry-After'] = String(RETRY_SECONDS);
  return Response.json({ status }, { status: code, headers });
}
