// Measures for the gate five times a second, twenty times while something is late: the delay of the event loop, and the
// time of an operation that takes the path of a settlement (loop, writer queue, commit, loop). Logs the start and end of
// refusing and the number of refused calls.
import { readFileSync } from 'node:fs';
import type { Log } from '#contract/context.ts';
import type { Gate, GateRules, GateState } from './gate.ts';

export interface OverloadOptions {
  gate: Gate;
  /** Running calls. */
  calls: () => number;
  /** An operation of the ledger that changes nothing. */
  probe: () => Promise<unknown>;
  log: Log;
}

export interface OverloadWatch {
  stop: () => void;
}

const TICK_MILLISECONDS = 50;
/** Interval while nothing is late; each measurement wakes the writer thread, so it is long. */
const CALM_MILLISECONDS = 200;
const CALM_DELAY_MILLISECONDS = 20;
const PROBE_EVERY_MILLISECONDS = 100;
const SAY_EVERY_MILLISECONDS = 10_000;
/** File descriptors reserved for the process itself and for idle connections. */
const DESCRIPTORS_KEPT = 1000;
const DESCRIPTORS_PER_CALL = 2;

export function usualRules(): GateRules {
  return {
    delayMilliseconds: 100,
    mostWaiting: 1000,
    keptWaiting: 400,
    sustainedMilliseconds: 2000,
    mostCalls: Math.max(100, Math.floor((descriptorLimit() - DESCRIPTORS_KEPT) / DESCRIPTORS_PER_CALL)),
  };
}

export function watchOverload({ gate, calls, probe, log }: OverloadOptions): OverloadWatch {
  const voice = createVoice(gate, log);
  let tickedAt = performance.now();
  let probedAt = Number.NEGATIVE_INFINITY;
  let isProbing = false;
  let slowestMilliseconds = 0;

  function ask(now: number): void {
    if (isProbing || now - probedAt < PROBE_EVERY_MILLISECONDS || !gate.hasBeenUsed) return;
    isProbing = true;
    probedAt = now;
    const noteAnswer = () => {
      isProbing = false;
      slowestMilliseconds = Math.max(slowestMilliseconds, performance.now() - probedAt);
    };
    // An unavailable database refuses at once; that is no overload.
    probe().then(noteAnswer, noteAnswer);
  }

  function tick(): void {
    const now = performance.now();
    const elapsedMilliseconds = now - tickedAt;
    tickedAt = now;
    const waiting = isProbing ? now - probedAt : 0;
    const late = elapsedMilliseconds - wantedMilliseconds;
    const delayMilliseconds = Math.max(slowestMilliseconds, waiting, late);
    slowestMilliseconds = 0;
    ask(now);
    gate.tick({ elapsedMilliseconds, delayMilliseconds, calls: calls() });
    voice(now, { delay_ms: Math.round(delayMilliseconds), calls: calls() });
    const isCalm = gate.state === 'open' && delayMilliseconds < CALM_DELAY_MILLISECONDS;
    wait(isCalm ? CALM_MILLISECONDS : TICK_MILLISECONDS);
  }

  let wantedMilliseconds = TICK_MILLISECONDS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function wait(milliseconds: number): void {
    wantedMilliseconds = milliseconds;
    timer = setTimeout(tick, milliseconds);
    timer.unref();
  }

  wait(TICK_MILLISECONDS);
  return {
    stop() {
      clearTimeout(timer);
      gate.endWait();
    },
  };
}

function createVoice(gate: Gate, log: Log): (now: number, fields: Record<string, number>) => void {
  let state: GateState = 'open';
  let saidAt = 0;
  let refusedBefore = 0;
  return (now, fields) => {
    if (gate.state === state && (state === 'open' || now - saidAt < SAY_EVERY_MILLISECONDS)) return;
    const refused = gate.refused - refusedBefore;
    refusedBefore = gate.refused;
    saidAt = now;
    state = gate.state;
    if (state === 'open') return log.info('overload: every call is admitted again', { ...fields, refused });
    log.warn('overload: calls are refused', {
      ...fields,
      cause: state,
      refused,
      admitted_per_second: Math.round(gate.admittedPerSecond),
    });
  };
}

/** The usual limit of a service, used where the system reports none. */
function descriptorLimit(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
