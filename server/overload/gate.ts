// How many calls may begin. A call costs the gateway far less when it is refused at once than when it is begun and waits,
// so with more work than it can do it lets in only as many as it serves in time: the calls that wait here are those that
// begin in a second times the seconds each waits, and that product is kept below a number. Pure: watch.ts measures.

export interface GateRules {
  /** Waits shorter than this are no overload, however many wait. */
  delayMilliseconds: number;
  /** Fewer waiting calls than this are no overload, however long they wait: the machine is busy with something else. */
  mostWaiting: number;
  /** While some are refused, so many are kept waiting: fewer than it takes to begin, so that those served are served in time. */
  keptWaiting: number;
  /** How long both must last: a burst, a large body or a collection of the heap passes by itself. */
  patienceMilliseconds: number;
  /** Calls under way, streams included: each needs two descriptors. */
  mostCalls: number;
}

export interface Measured {
  elapsedMilliseconds: number;
  /** What an operation begun just now waits. */
  delayMilliseconds: number;
  /** Under way. */
  calls: number;
}

export type GateState = 'open' | 'slow' | 'full';

/** Small enough to be counted down as a machine integer. */
const unlimited = 1_000_000_000;
/** A long turn of the event loop is often followed by a short one, and the next is long again. */
const delayWindowMilliseconds = 150;
const rateWindowMilliseconds = 1000;
const shortestDelayMilliseconds = 10;

export class Gate {
  /** Counted down by whoever begins a call; below zero it is refused. All there is on the way of a call. */
  left = unlimited;
  state: GateState = 'open';
  refused = 0;
  readonly #rules: GateRules;
  #given = unlimited;
  #isShedding = false;
  #begunPerSecond = 0;
  #delayMilliseconds = 0;
  /** How long it has looked like the other state. */
  #doubtMilliseconds = 0;
  #looking: PromiseWithResolvers<void> | undefined;

  constructor(rules: GateRules) {
    this.#rules = rules;
  }

  /** Callers are told different times, so that they do not all come back together. */
  get retryAfterSeconds(): number {
    return 1 + Math.floor(Math.random() * 3);
  }

  /** The next tick. Ticks come quickly while anything is refused. */
  get nextLook(): Promise<void> {
    this.#looking ??= Promise.withResolvers<void>();
    return this.#looking.promise;
  }

  /** Those who wait for the next tick need not wait any longer. */
  look(): void {
    this.#looking?.resolve();
    this.#looking = undefined;
  }

  /** Something began since the last tick; without callers there is nothing to measure for. */
  get hasBeenUsed(): boolean {
    return this.left !== this.#given;
  }

  get admittedPerSecond(): number {
    return this.#begunPerSecond;
  }

  tick({ elapsedMilliseconds, delayMilliseconds, calls }: Measured): void {
    this.look();
    const begun = this.#given - Math.max(0, this.left);
    const refused = Math.max(0, -this.left);
    this.refused += refused;
    const perSecond = (begun * 1000) / elapsedMilliseconds;
    this.#begunPerSecond +=
      (perSecond - this.#begunPerSecond) * shareOf(elapsedMilliseconds, rateWindowMilliseconds);
    this.#delayMilliseconds +=
      (delayMilliseconds - this.#delayMilliseconds) * shareOf(elapsedMilliseconds, delayWindowMilliseconds);
    this.#decide(elapsedMilliseconds, refused);
    const isFull = calls >= this.#rules.mostCalls;
    this.#given = isFull ? 0 : this.#isShedding ? this.#allowance(elapsedMilliseconds) : unlimited;
    this.left = this.#given;
    this.state = isFull ? 'full' : this.#isShedding ? 'slow' : 'open';
  }

  #decide(elapsedMilliseconds: number, refused: number): void {
    const rules = this.#rules;
    const isLate = this.#delayMilliseconds > rules.delayMilliseconds;
    const waiting = (this.#begunPerSecond * this.#delayMilliseconds) / 1000;
    const isDoubtful = this.#isShedding ? !isLate && refused === 0 : isLate && waiting > rules.mostWaiting;
    this.#doubtMilliseconds = isDoubtful ? this.#doubtMilliseconds + elapsedMilliseconds : 0;
    if (this.#doubtMilliseconds < rules.patienceMilliseconds) return;
    this.#isShedding = !this.#isShedding;
    this.#doubtMilliseconds = 0;
  }

  #allowance(elapsedMilliseconds: number): number {
    const { keptWaiting } = this.#rules;
    const delay = Math.max(this.#delayMilliseconds, shortestDelayMilliseconds);
    return Math.max(1, Math.min(keptWaiting, Math.round((keptWaiting * elapsedMilliseconds) / delay)));
  }
}

const shareOf = (elapsed: number, window: number): number => Math.min(1, elapsed / window);
