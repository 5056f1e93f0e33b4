// Sends the operations of running calls to the writer thread, and follows in the slices what each may take and what its answer leaves.
// An operation that fails leaves its call as it was, and its promise rejects.
import type { Settlement } from '#server/money/ledger/backend.ts';
import {
  NOTHING_IN_MEMORY,
  type Extend,
  type Release,
  type ReserveResult,
  type SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { Slices } from '#server/money/ledger/slices.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import type { Writer } from '#server/platform/store/types.ts';
import { encodeSettle, holdToWrite, type HoldInMemory, type ReserveAnswer } from './messages.ts';

const WITH_ROW: HoldInMemory = { isInSlice: false, memoryHeld: NOTHING_IN_MEMORY };

export class SentCalls {
  readonly slices = new Slices(true);
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Sends the holds to their table; they leave memory at once. Resolves when the rows are committed. */
  writeRows(calls: readonly RunningCall[]): Promise<void> {
    const { slices } = this;
    const moved = calls.filter((call) => slices.take(call));
    if (moved.length === 0) return Promise.resolve();
    return this.#writer.run('ledger.writeHolds', moved.map(holdToWrite), {
      onResult(answer: null | undefined) {
        for (const call of moved) {
          if (answer === undefined) slices.putBack(call);
          else slices.answered(call, call.amount, 0);
        }
      },
    });
  }

  beginForeignWrite(): Promise<void> {
    this.slices.beginForeignWrite();
    return this.writeRows(this.slices.calls());
  }

  /** For operations on calls that this process did not open: which balance they change is not known here. */
  async asForeignWrite<T>(work: () => Promise<T>): Promise<T> {
    try {
      const [, result] = await Promise.all([this.beginForeignWrite(), work()]);
      return result;
    } finally {
      this.slices.endForeignWrite();
    }
  }

  reserve(call: RunningCall, snapshot: string): Promise<ReserveResult> {
    const { slices } = this;
    const { amount, lifetime } = call;
    const operation = call.reservation(snapshot, slices.heldBy(call));
    slices.send(call, amount);
    return this.#writer.run(lifetime === 'task' ? 'ledger.reserveTask' : 'ledger.reserve', operation, {
      onResult(answer: ReserveAnswer | undefined): ReserveResult | undefined {
        // Which part of the amount the balance holds is known to the tables only.
        if (answer === undefined || call.plans !== undefined) slices.failed(call, amount);
        else slices.answered(call, amount, amount - (answer.result.ok ? answer.result.amount : 0));
        if (answer !== undefined && answer.size !== null) slices.learn(call, answer.size);
        return answer?.result;
      },
    }) as Promise<ReserveResult>;
  }

  extend(requestId: string, moreAmount: number, call: RunningCall | undefined): Promise<boolean> {
    const { slices } = this;
    const operation: Extend = { kind: 'extend', requestId, moreAmount, memoryHeld: NOTHING_IN_MEMORY };
    if (call === undefined) return this.asForeignWrite(() => this.#writer.run('ledger.extend', operation));
    // Without its row the extension finds no hold and answers false.
    this.writeRows([call]).catch(() => {});
    slices.send(call, moreAmount);
    operation.memoryHeld = slices.heldBy(call);
    return this.#writer.run('ledger.extend', operation, {
      onResult(isLarger: boolean | undefined) {
        if (isLarger === undefined || call.plans !== undefined) slices.failed(call, moreAmount);
        else slices.answered(call, moreAmount, isLarger ? 0 : moreAmount);
        if (isLarger === true) call.amount += moreAmount;
        return isLarger === true;
      },
    });
  }

  /** If it fails the call has its hold as before, and `onResult` is not called. */
  settle<T>(
    settlement: Settlement,
    call: RunningCall | undefined,
    onResult: (result: SettleResult) => T,
  ): Promise<T> {
    if (call === undefined) return this.asForeignWrite(() => this.#settleRow(settlement, onResult));
    const { slices } = this;
    const isInSlice = slices.take(call);
    const memoryHeld = slices.heldBy(call);
    const beyond = Math.max(0, settlement.charge - call.amount);
    const sent = isInSlice ? call.amount + beyond : beyond;
    if (beyond > 0) slices.send(call, beyond);
    const settling = this.#runSettle(settlement, { isInSlice, memoryHeld }, (result) => {
      if (result?.hadHold === true && call.plans === undefined)
        slices.answered(call, sent, call.amount + beyond - result.charged);
      else slices.failed(call, sent);
      if (result !== undefined) return onResult(result);
      if (isInSlice) slices.restore(call);
      return undefined;
    });
    return settling as Promise<T>;
  }

  /** The promise rejects when there is no result. */
  #settleRow<T>(settlement: Settlement, onResult: (result: SettleResult) => T): Promise<T> {
    return this.#runSettle(settlement, WITH_ROW, (result) => result && onResult(result)) as Promise<T>;
  }

  #runSettle<T>(
    settlement: Settlement,
    hold: HoldInMemory,
    onResult: (result: SettleResult | undefined) => T,
  ): Promise<T> {
    const { values, text } = encodeSettle(settlement, hold);
    return this.#writer.run('ledger.settle', values, { text, onResult });
  }

  async release(operation: Release, call: RunningCall | undefined): Promise<boolean> {
    if (call === undefined)
      return await this.asForeignWrite(() => this.#writer.run('ledger.release', operation));
    const { slices } = this;
    const isInSlice = slices.take(call);
    const sent = isInSlice ? call.amount : 0;
    if (isInSlice && operation.failure === undefined) {
      // Nothing of this call was written, so nothing has to be undone.
      slices.answered(call, sent, call.amount);
      return true;
    }
    const slice = isInSlice ? { id: '', amount: call.amount } : undefined;
    return await this.#writer.run('ledger.release', { ...operation, slice } satisfies Release, {
      onResult(isReleased: boolean | undefined) {
        if (isReleased === true && call.plans === undefined) slices.answered(call, sent, call.amount);
        else slices.failed(call, sent);
        if (isReleased === undefined && isInSlice) slices.restore(call);
        return isReleased === true;
      },
    });
  }

  /** Ends calls of which only the id and the owner are known. Holds in memory get their rows first and are found there. */
  async replay(operations: readonly SpooledOperation[]): Promise<(SettleResult | boolean)[]> {
    const results = await this.asForeignWrite(() =>
      Promise.allSettled(
        operations.map((operation) =>
          operation.kind === 'settle'
            ? this.#settleRow(operation, (result) => result)
            : this.#writer.run<boolean>('ledger.release', operation),
        ),
      ),
    );
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }
}
