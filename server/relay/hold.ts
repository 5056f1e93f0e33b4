// The money of one running call. Whatever ends the call ends the hold exactly once; a hold nobody settled is released.
import type { Failure, Ledger, LedgerCall, Outcome, Settlement } from '#server/billing/ledger.ts';

export class Hold implements AsyncDisposable {
  readonly call: LedgerCall;
  readonly #ledger: Ledger;
  #amount: number;
  #ended = false;
  #isHandedOn = false;
  readonly #onEnd: () => void;
  /** What a release leaves in the statistics. */
  failure: Failure | undefined;

  /** `onEnd` is called once, when the end of the hold is durable (or has failed to be). */
  constructor(ledger: Ledger, call: LedgerCall, amount: number, onEnd: () => void) {
    this.#ledger = ledger;
    this.#onEnd = onEnd;
    this.call = call;
    this.#amount = amount;
  }

  get amount(): number {
    return this.#amount;
  }

  async extend(more: number): Promise<boolean> {
    if (this.#ended || !(await this.#ledger.extend(this.call.requestId, more))) return false;
    this.#amount += more;
    return true;
  }

  settle(outcome: Outcome): Promise<Settlement> {
    this.#ended = true;
    const settlement = this.#ledger.settle(this.call, outcome);
    settlement.then(this.#onEnd, this.#onEnd);
    return settlement;
  }

  async release(failure?: Failure): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    try {
      await this.#ledger.release(this.call, failure);
    } finally {
      this.#onEnd();
    }
  }

  /** Nobody has ended it, and nobody has taken it over. */
  get isOpen(): boolean {
    return !this.#ended && !this.#isHandedOn;
  }

  /** A stream ends this hold later; leaving the scope does not. */
  handOn(): void {
    this.#isHandedOn = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isOpen) await this.release(this.failure);
  }
}

export interface OpenHolds {
  opened(): void;
  ended: () => void;
  readonly count: number;
  /** Resolves when every hold has ended; false when some had not after so long. */
  allEnded(timeoutSeconds: number): Promise<boolean>;
}

export function countHolds(): OpenHolds {
  const open = { count: 0 };
  return {
    opened() {
      open.count += 1;
    },
    ended: () => {
      open.count -= 1;
    },
    get count() {
      return open.count;
    },
    async allEnded(timeoutSeconds) {
      const until = performance.now() + timeoutSeconds * 1000;
      while (open.count > 0 && performance.now() < until) await Bun.sleep(5);
      return open.count === 0;
    },
  };
}
