// The hold of one running call, ended exactly once: settled, or released when nothing was settled.
import type {
  Failure,
  HoldSnapshot,
  Ledger,
  LedgerCall,
  Outcome,
  Settlement,
} from '#server/money/ledger/ledger.ts';

export class Hold implements AsyncDisposable {
  readonly call: LedgerCall;
  readonly #ledger: Ledger;
  #amount: number;
  #ended = false;
  #isHandedOn = false;
  #extending: Promise<unknown> = Promise.resolve();
  /** Recorded in the statistics when the hold is released. */
  failure: Failure | undefined;

  constructor(ledger: Ledger, call: LedgerCall, amount: number) {
    this.#ledger = ledger;
    this.call = call;
    this.#amount = amount;
  }

  get amount(): number {
    return this.#amount;
  }

  async extend(more: number): Promise<boolean> {
    if (this.#ended || !(await this.#ledger.extend(this.call, more))) return false;
    this.#amount += more;
    return true;
  }

  /** Brings the hold to so much, one after the other: two attempts of a call may ask for the same amount at once. */
  async extendTo(amount: number): Promise<boolean> {
    const extension = this.#extending.then(
      async () => amount <= this.#amount || (await this.extend(amount - this.#amount)),
    );
    this.#extending = extension.catch(() => {});
    return await extension;
  }

  /** The call goes on as one of another model. */
  renew(snapshot: HoldSnapshot): void {
    this.#ledger.renew(this.call, snapshot);
  }

  settle(outcome: Outcome): Promise<Settlement> {
    this.#ended = true;
    return this.#ledger.settle(this.call, outcome);
  }

  async release(failure?: Failure): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#ledger.release(this.call, failure);
  }

  /** Neither ended nor handed over to a stream. */
  get isOpen(): boolean {
    return !this.#ended && !this.#isHandedOn;
  }

  /** A stream will end this hold; the scope must not. */
  handOn(): void {
    this.#isHandedOn = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isOpen) await this.release(this.failure);
  }
}
