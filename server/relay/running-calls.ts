// Calls that wait for an upstream, visited eight times a second: one whose caller has hung up is told so, and one that has
// been sent is noted in the ledger, because from then on a crash charges for it. Most calls are over before a visit and
// pay for neither.
import type { Ledger } from '#server/billing/ledger.ts';
import { Roster } from '#server/egress/index.ts';
import type { RunningCall } from './core.ts';

export interface RunningCalls {
  add(call: RunningCall): void;
  remove(call: RunningCall): void;
  readonly size: number;
  close(): void;
}

const visitMilliseconds = 125;

export function createRunningCalls(ledger: Pick<Ledger, 'dispatched'>): RunningCalls {
  const waiting = new Roster<RunningCall>();
  const timer = setInterval(() => {
    waiting.visit((call) => {
      if (!call.hasLeft && call.request.signal.aborted) callerLeft(call);
      if (call.isNoted || call.outbound === undefined) return;
      call.isNoted = true;
      ledger.dispatched(call.hold.call);
    });
  }, visitMilliseconds);
  timer.unref();
  return {
    add: (call) => waiting.add(call),
    remove: (call) => waiting.remove(call),
    get size() {
      return waiting.size;
    },
    close: () => clearInterval(timer),
  };
}

export function callerLeft(call: RunningCall): void {
  call.hasLeft = true;
  if (call.stream?.events !== undefined) call.stream.events.clientLeft();
  else call.outbound?.abort();
}
