// The ledger's operations on a database file that can be written. One process uses the file, so its slice of every balance is all of
// it: the main thread takes a hold inside it if it knows the size, else the writer thread checks everything and writes the row. A
// short call ends with one settlement that needs no row; a hold that lives longer, or that other code must see, gets its row by
// `ledger.writeHolds`. Operations run in the order in which they are sent, in group commits.
import type { LedgerBackend, ReleasedCall, Settlement } from '#server/money/ledger/backend.ts';
import type {
  Extend,
  RecoverResult,
  RecoveryPolicy,
  Release,
  ReserveResult,
  SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import { nothingInMemory } from '#server/money/ledger/engine/operations.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { Slices } from '#server/money/ledger/slices.ts';
import type { Writer } from '#server/platform/store/types.ts';
import {
  decodeSettleResult,
  encodeSettle,
  type HoldInMemory,
  type HoldToWrite,
  type ReserveAnswer,
  type SettleResultValues,
} from './messages.ts';

/** Statements that name one of these see holds and balances. */
const balanceTables = ['users', 'tokens', 'holds'];

const withRow: HoldInMemory = { isInSlice: false, memoryHeld: nothingInMemory };

/** Like a backend, but an end that fails can be repeated: the call has its hold as before, and `onResult` is not called. */
export interface DirectOperations extends Omit<
  LedgerBackend,
  'isWritable' | 'settle' | 'heartbeat' | 'close'
> {
  settle<T>(
    settlement: Settlement,
    call: RunningCall | undefined,
    onResult: (result: SettleResult) => T,
  ): Promise<T>;
  /** Ends calls of which only the id and the owner are known. Holds in memory get their rows first and are found there. */
  replay(this: void, operations: readonly SpooledOperation[]): Promise<(SettleResult | boolean)[]>;
  /** The end of this call has failed for good: what it holds in memory is free. */
  abandon(call: RunningCall): void;
}

export async function openDirectOperations(writer: Writer): Promise<DirectOperations> {
  const slices = new Slices(true);
  let recoveryPolicy: RecoveryPolicy = 'checkpoint';

  /** Sends the holds to their table; they leave memory at once. Resolves when the rows are committed. */
  function writeRows(calls: readonly RunningCall[]): Promise<void> {
    const moved = calls.filter((call) => slices.take(call));
    if (moved.length === 0) return Promise.resolve();
    const rows = moved.map(({ requestId, userId, tokenId, amount, createdAt, expiresAt }): HoldToWrite => ({
      requestId,
      userId,
      tokenId,
      amount,
      createdAt,
      expiresAt,
    }));
    return writer.run('ledger.writeHolds', rows, {
      onResult(answer: null | undefined) {
        for (const call of moved) {
          if (answer === undefined) slices.putBack(call);
          else slices.answered(call, call.amount, 0);
        }
      },
    });
  }

  function beginForeignWrite(): Promise<void> {
    slices.beginForeignWrite();
    return writeRows(slices.calls());
  }

  const endForeignWrite = () => slices.endForeignWrite();

  /** For operations on calls that this process did not open: which balance they change is not known here. */
  async function asForeignWrite<T>(work: () => Promise<T>): Promise<T> {
    try {
      const [, result] = await Promise.all([beginForeignWrite(), work()]);
      return result;
    } finally {
      endForeignWrite();
    }
  }

  function settleRunning<T>(
    settlement: Settlement,
    call: RunningCall,
    onResult: (result: SettleResult) => T,
  ): Promise<T> {
    const isInSlice = slices.take(call);
    const memoryHeld = slices.heldBy(call);
    const beyond = Math.max(0, settlement.charge - call.amount);
    const sent = isInSlice ? call.amount + beyond : beyond;
    slices.send(call, beyond);
    const settling = runSettle(settlement, { isInSlice, memoryHeld }, (result) => {
      if (result?.hadHold === true && call.plans === undefined)
        slices.answered(call, sent, call.amount + beyond - result.charged);
      else slices.failed(call, sent);
      if (result !== undefined) return onResult(result);
      if (isInSlice) slices.restore(call);
      return undefined;
    });
    return settling as Promise<T>;
  }

  function runSettle<T>(
    settlement: Settlement,
    hold: HoldInMemory,
    onResult: (result: SettleResult | undefined) => T,
  ): Promise<T> {
    const { values, text } = encodeSettle(settlement, hold);
    return writer.run('ledger.settle', values, {
      text,
      onResult: (answer: SettleResultValues | undefined) =>
        onResult(answer === undefined ? undefined : decodeSettleResult(answer)),
    });
  }

  /** The promise rejects when there is no result. */
  function settleRow<T>(settlement: Settlement, onResult: (result: SettleResult) => T): Promise<T> {
    return runSettle(settlement, withRow, (result) => result && onResult(result)) as Promise<T>;
  }

  function releaseRow(released: ReleasedCall): Promise<boolean> {
    return writer.run('ledger.release', { kind: 'release', ...released } satisfies Release);
  }

  await writer.guardTables({ tables: balanceTables, beginForeignWrite, endForeignWrite });
  return {
    admit: (call) => slices.admit(call),
    reserve(call, snapshot) {
      const { amount, lifetime } = call;
      const operation = call.reservation(snapshot, slices.heldBy(call));
      slices.send(call, amount);
      return writer.run(lifetime === 'task' ? 'ledger.reserveTask' : 'ledger.reserve', operation, {
        onResult(answer: ReserveAnswer | undefined): ReserveResult | undefined {
          // Which part of the amount the balance holds is known to the tables only.
          if (answer === undefined || call.plans !== undefined) slices.failed(call, amount);
          else slices.answered(call, amount, amount - (answer.result.ok ? answer.result.amount : 0));
          if (answer !== undefined && answer.size !== null) slices.learn(call, answer.size);
          return answer?.result;
        },
      }) as Promise<ReserveResult>;
    },
    extend(requestId, moreAmount, call) {
      const operation: Extend = { kind: 'extend', requestId, moreAmount, memoryHeld: nothingInMemory };
      if (call === undefined) return asForeignWrite(() => writer.run('ledger.extend', operation));
      // Without its row the extension finds no hold and answers false.
      writeRows([call]).catch(() => {});
      slices.send(call, moreAmount);
      return writer.run(
        'ledger.extend',
        { ...operation, memoryHeld: slices.heldBy(call) },
        {
          onResult(isLarger: boolean | undefined) {
            if (isLarger === undefined || call.plans !== undefined) slices.failed(call, moreAmount);
            else slices.answered(call, moreAmount, isLarger ? 0 : moreAmount);
            if (isLarger === true) call.amount += moreAmount;
            return isLarger === true;
          },
        },
      );
    },
    settle(settlement, call, onResult) {
      if (call !== undefined) return settleRunning(settlement, call, onResult);
      return asForeignWrite(() => settleRow(settlement, onResult));
    },
    async replay(operations) {
      const results = await asForeignWrite(() =>
        Promise.allSettled(
          operations.map((operation) =>
            operation.kind === 'settle' ? settleRow(operation, (result) => result) : releaseRow(operation),
          ),
        ),
      );
      return results.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
    },
    abandon(call) {
      if (slices.take(call)) slices.failed(call, call.amount);
    },
    release(released, call) {
      if (call === undefined) return asForeignWrite(() => releaseRow(released));
      const isInSlice = slices.take(call);
      const sent = isInSlice ? call.amount : 0;
      if (isInSlice && released.failure === undefined) {
        // Nothing of this call was written, so nothing has to be undone.
        slices.answered(call, sent, call.amount);
        return Promise.resolve(true);
      }
      const slice = isInSlice ? { id: '', amount: call.amount } : undefined;
      const operation: Release = { kind: 'release', ...released, slice };
      return writer.run('ledger.release', operation, {
        onResult(isReleased: boolean | undefined) {
          if (isReleased === true && call.plans === undefined) slices.answered(call, sent, call.amount);
          else slices.failed(call, sent);
          if (isReleased === undefined && isInSlice) slices.restore(call);
          return isReleased === true;
        },
      });
    },
    async noteProgress(notes) {
      const written = writeRows(notes.flatMap(({ call }) => call ?? []));
      const operations = notes.map(({ operation }) => operation);
      await Promise.all([written, writer.run('ledger.noteProgress', operations)]);
      return true;
    },
    async recover(limit) {
      await writer.run('ledger.forgetWindows', null);
      return await asForeignWrite(() =>
        writer.run<RecoverResult[]>('ledger.recover', { policy: recoveryPolicy, limit }),
      );
    },
    rollPeriod: (subscriptionId) =>
      writer.run('ledger.rollPeriod', { kind: 'rollPeriod', requestId: '', subscriptionId }),
    async writeHolds() {
      // The probe waits for rows that were sent before.
      await Promise.all([writeRows(slices.calls()), writer.run('ledger.probe', null)]);
    },
    async probe() {
      await writer.run('ledger.probe', null);
    },
    async configure(configuration) {
      ({ recoveryPolicy } = configuration);
      const { lowBalanceThreshold } = configuration;
      await writer.run('ledger.configure', { lowBalanceThreshold });
    },
  };
}
