// Checks the calls that wait for an upstream eight times a second. A call whose caller has hung up is ended, a call that was
// sent is marked as dispatched in the ledger, because from then on a crash charges for it, and the hold of a stream grows while
// its upstream is silent. Most calls end before the first check and need none of it.
import type { RunningCall } from './running-call.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { StreamCover } from '#server/relay/money/stream-cover.ts';
import { IndexedSet } from '#server/platform/egress/index.ts';

export interface RunningCalls {
  add(call: RunningCall): void;
  remove(call: RunningCall): void;
  readonly size: number;
  close(): void;
}

const VISIT_MILLISECONDS = 125;

export function createRunningCalls(ledger: Pick<Ledger, 'dispatched'>): RunningCalls {
  const waiting = new IndexedSet<RunningCall>();
  /** Runs only while calls wait, so that an idle gateway has no timer. */
  let timer: ReturnType<typeof setInterval> | undefined;

  function visitAll(): void {
    if (waiting.size === 0) return stop();
    const now = performance.now();
    waiting.visit((call) => {
      if (!call.hasLeft && call.request.signal.aborted) callerLeft(call);
      if (call.outbound === undefined) return;
      if (call.cover?.visit(now, true) === true) void keepCovered(call, call.cover);
      if (call.isNoted) return;
      call.isNoted = true;
      ledger.dispatched(call.hold.call);
    });
  }

  function begin(): ReturnType<typeof setInterval> {
    const begun = setInterval(visitAll, VISIT_MILLISECONDS);
    begun.unref();
    return begun;
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    add(call) {
      waiting.add(call);
      timer ??= begin();
    },
    remove: (call) => waiting.remove(call),
    get size() {
      return waiting.size;
    },
    close: stop,
  };
}

/** Ends a call whose hold cannot grow any more; an error of the database ends it when it settles. */
async function keepCovered(call: RunningCall, cover: StreamCover): Promise<void> {
  const { outbound } = call;
  const isCovered = await Promise.resolve(cover.covers(0)).catch(() => true);
  // Meanwhile the answer may have begun, or another attempt.
  if (isCovered || call.stream !== undefined || call.outbound !== outbound) return;
  call.isUncovered = true;
  outbound?.abort();
}

export function callerLeft(call: RunningCall): void {
  call.hasLeft = true;
  if (call.stream?.events !== undefined) call.stream.events.clientLeft();
  else call.outbound?.abort();
}
