// Decides how many calls may begin. A call that is refused at once costs far less than one that begins and waits, so under
// overload only as many begin as are served in time: calls per second × seconds each waits (= waiting calls) is kept below
// a limit. Pure: watch.ts measures.

export interface GateRules {
  /** A shorter wait is no overload, even with many waiting calls. */
  delayMilliseconds: number;
  /** Fewer waiting calls are no overload, even when they wait long: then other work keeps the machine busy. */
  mostWaiting: number;
  /** Waiting calls to aim for while refusing; less than the limit that starts it, so that admitted calls are in time. */
  keptWaiting: number;
  /** Time for which both limits must be exceeded: a burst, a large body or a garbage collection is no overload. */
  sustainedMilliseconds: number;
  /** Running calls, streams included: each needs two file descriptors. */
  mostCalls: number;
}

export interface Measured {
  elapsedMilliseconds: number;
  /** How long an operation that begins now waits. */
  delayMilliseconds: number;
  /** Running. */
  calls: number;
}

export type GateState = 'open' | 'slow' | 'full';

/** Fits a small integer, so that the decrement is fast. */
const UNLIMITED = 1_000_000_000;
/** Turns of the event loop alternate between long and short, so the delay is smoothed over this time. */
const DELAY_WINDOW_MILLISECONDS = 150;
const RATE_WINDOW_MILLISECONDS = 1000;
const SHORTEST_DELAY_MILLISECONDS = 10;

export class Gate {
  /** Each call decrements it; below zero the call is refused. The only work per call. */
  left = UNLIMITED;
  state: GateState = 'open';
  refused = 0;
  readonly #rules: GateRules;
  #given = UNLIMITED;
  #isShedding = false;
  #begunPerSecond = 0;
  #delayMilliseconds = 0;
  /** Time for which the measurements have contradicted the current state. */
  #doubtMilliseconds = 0;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(rules: GateRules) {
    this.#rules = rules;
  }

  /** Varies, so that refused callers do not all retry together. */
  get retryAfterSeconds(): number {
    return 1 + Math.floor(Math.random() * 3);
  }

  /** The next tick; ticks are frequent while calls are refused. */
  get nextLook(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  /** Ends the wait for the next tick. */
  endWait(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  /** A call began since the last tick; the gate measures only while there are calls. */
  get hasBeenUsed(): boolean {
    return this.left !== this.#given;
  }

  get admittedPerSecond(): number {
    return this.#begunPerSecond;
  }

  /** Smoothed. */
  get delayMilliseconds(): number {
    return this.#delayMilliseconds;
  }

  tick({ elapsedMilliseconds, delayMilliseconds, calls }: Measured): void {
    this.endWait();
    const begun = this.#given - Math.max(0, this.left);
    const refused = Math.max(0, -this.left);
    this.refused += refused;
    const perSecond = (begun * 1000) / elapsedMilliseconds;
    this.#begunPerSecond +=
      (perSecond - this.#begunPerSecond) * shareOf(elapsedMilliseconds, RATE_WINDOW_MILLISECONDS);
    this.#delayMilliseconds +=
      (delayMilliseconds - this.#delayMilliseconds) * shareOf(elapsedMilliseconds, DELAY_WINDOW_MILLISECONDS);
    this.#decide(elapsedMilliseconds, refused);
    const isFull = calls >= this.#rules.mostCalls;
    this.#given = isFull ? 0 : this.#isShedding ? this.#allowance(elapsedMilliseconds) : UNLIMITED;
    this.left = this.#given;
    this.state = isFull ? 'full' : this.#isShedding ? 'slow' : 'open';
  }

  #decide(elapsedMilliseconds: number, refused: number): void {
    const rules = this.#rules;
    const isLate = this.#delayMilliseconds > rules.delayMilliseconds;
    const waiting = (this.#begunPerSecond * this.#delayMilliseconds) / 1000;
    const isDoubtful = this.#isShedding ? !isLate && refused === 0 : isLate && waiting > rules.mostWaiting;
    this.#doubtMilliseconds = isDoubtful ? this.#doubtMilliseconds + elapsedMilliseconds : 0;
    if (this.#doubtMilliseconds < rules.sustainedMilliseconds) return;
    this.#isShedding = !this.#isShedding;
    this.#doubtMilliseconds = 0;
  }

  #allowance(elapsedMilliseconds: number): number {
    const { keptWaiting } = this.#rules;
    const delay = Math.max(this.#delayMilliseconds, SHORTEST_DELAY_MILLISECONDS);
    return Math.max(1, Math.min(keptWaiting, Math.round((keptWaiting * elapsedMilliseconds) / delay)));
  }
}

const shareOf = (elapsed: number, window: number): number => Math.min(1, elapsed / window);
