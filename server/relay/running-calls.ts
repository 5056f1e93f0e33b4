// Calls that wait for an upstream, visited four times a second: one whose caller has hung up is told so. Asking for a
// request's signal costs more than most of the rest of a short call, so only calls that take a while are asked.
import type { RunningCall } from './core.ts';

export interface RunningCalls {
  add(call: RunningCall): void;
  remove(call: RunningCall): void;
  readonly size: number;
  close(): void;
}

const visitMilliseconds = 250;

export function createRunningCalls(): RunningCalls {
  const waiting = new Set<RunningCall>();
  const timer = setInterval(() => {
    for (const call of waiting) {
      if (!call.hasLeft && call.request.signal.aborted) callerLeft(call);
    }
  }, visitMilliseconds);
  timer.unref();
  return {
    add: (call) => void waiting.add(call),
    remove: (call) => void waiting.delete(call),
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
