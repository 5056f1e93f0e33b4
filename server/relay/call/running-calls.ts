// Checks the calls that wait for an upstream eight times a second. A call whose caller has hung up is ended, and a
// call that was sent is marked as dispatched in the ledger, because from then on a crash charges for it. Most calls end
// before the first check and need neither.
import type { RunningCall } from './running-call.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import { Roster } from '#server/egress/index.ts';

export interface RunningCalls {
  add(call: RunningCall): void;
  remove(call: RunningCall): void;
  readonly size: number;
  close(): void;
}

const visitMilliseconds = 125;

export function createRunningCalls(ledger: Pick<Ledger, 'dispatched'>): RunningCalls {
  const waiting = new Roster<RunningCall>();
  /** Runs only while calls wait, so that an idle gateway has no timer. */
  let timer: ReturnType<typeof setInterval> | undefined;

  function visitAll(): void {
    if (waiting.size === 0) return stop();
    waiting.visit((call) => {
      if (!call.hasLeft && call.request.signal.aborted) callerLeft(call);
      if (call.isNoted || call.outbound === undefined) return;
      call.isNoted = true;
      ledger.dispatched(call.hold.call);
    });
  }

  function begin(): ReturnType<typeof setInterval> {
    const begun = setInterval(visitAll, visitMilliseconds);
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

export function callerLeft(call: RunningCall): void {
  call.hasLeft = true;
  if (call.stream?.events !== undefined) call.stream.events.clientLeft();
  else call.outbound?.abort();
}
