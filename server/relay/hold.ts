// The money of one running call. Whatever ends the call ends the hold exactly once; a hold nobody settled is released.
import type { Failure, Ledger, Outcome, Settlement } from '#server/billing/ledger.ts';

export class Hold implements AsyncDisposable {
  readonly requestId: string;
  readonly #ledger: Ledger;
  #amount: number;
  #ended = false;
  #isHandedOn = false;
  /** What a release leaves in the statistics. */
  failure: Failure | undefined;

  constructor(ledger: Ledger, requestId: string, amount: number) {
    this.#ledger = ledger;
    this.requestId = requestId;
    this.#amount = amount;
  }

  get amount(): number {
    return this.#amount;
  }

  async extend(more: number): Promise<boolean> {
    if (this.#ended || !(await this.#ledger.extend(this.requestId, more))) return false;
    this.#amount += more;
    return true;
  }

  settle(outcome: Outcome): Promise<Settlement> {
    this.#ended = true;
    return this.#ledger.settle(this.requestId, outcome);
  }

  async release(failure?: Failure): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#ledger.release(this.requestId, failure);
  }

  /** A stream ends this hold later; leaving the scope does not. */
  handOn(): void {
    this.#isHandedOn = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isHandedOn) await this.release(this.failure);
  }
}
