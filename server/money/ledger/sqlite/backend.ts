// The ledger on SQLite. One process uses the file, so its slice of every balance is all of it: the main thread takes a hold inside it
// if it knows the size, else the writer thread checks everything and writes the row. A hold that lives longer, or that other code
// must see, gets its row by `ledger.writeHolds`. Operations run in the order in which they are sent, in group commits. When the file
// cannot be written (disk full, IO error, lock of another process) new calls are refused and ending ones go to the spool.
import { join } from 'node:path';
import type { LedgerBackend, Settlement } from '#server/money/ledger/backend.ts';
import {
  nothingInMemory,
  type Extend,
  type RecoverResult,
  type RecoveryPolicy,
  type Release,
  type ReserveResult,
  type SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { LedgerAlert } from '#server/money/ledger/ledger.ts';
import { createOutage, spooledResult } from '#server/money/ledger/outage.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { Slices } from '#server/money/ledger/slices.ts';
import { leftSpools } from '#server/money/ledger/spool-adoption.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import { openSpool } from '#server/money/ledger/spool.ts';
import { isUnavailable } from '#server/platform/store/errors.ts';
import type { SqliteStore } from '#server/platform/store/store.ts';
import {
  decodeSettleResult,
  encodeSettle,
  holdToWrite,
  type HoldInMemory,
  type ReserveAnswer,
  type SettleResultValues,
} from './messages.ts';

/** SQLite serves one process, so one name is enough; the epoch distinguishes its runs. */
const nodeId = 'local';

/** Statements that name one of these see holds and balances. */
const balanceTables = ['users', 'tokens', 'holds'];

const withRow: HoldInMemory = { isInSlice: false, memoryHeld: nothingInMemory };

export interface SqliteBackendOptions extends Record<'host' | 'version' | 'dataDir', string> {
  store: SqliteStore;
  alert: (alert: LedgerAlert) => void;
}

export async function openSqliteBackend(options: SqliteBackendOptions): Promise<LedgerBackend> {
  const { host, version, alert } = options;
  const { writer } = options.store;
  const slices = new Slices(true);
  let recoveryPolicy: RecoveryPolicy = 'checkpoint';

  /** Sends the holds to their table; they leave memory at once. Resolves when the rows are committed. */
  function writeRows(calls: readonly RunningCall[]): Promise<void> {
    const moved = calls.filter((call) => slices.take(call));
    if (moved.length === 0) return Promise.resolve();
    return writer.run('ledger.writeHolds', moved.map(holdToWrite), {
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

  /** For operations on calls that this process did not open: which balance they change is not known here. */
  async function asForeignWrite<T>(work: () => Promise<T>): Promise<T> {
    try {
      const [, result] = await Promise.all([beginForeignWrite(), work()]);
      return result;
    } finally {
      slices.endForeignWrite();
    }
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

  /** If it fails the call has its hold as before, and `onResult` is not called. */
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

  /** The promise rejects when there is no result. */
  const settleRow = <T>(settlement: Settlement, onResult: (result: SettleResult) => T) =>
    runSettle(settlement, withRow, (result) => result && onResult(result)) as Promise<T>;

  async function releaseRunning(operation: Release, call: RunningCall): Promise<boolean> {
    const isInSlice = slices.take(call);
    const sent = isInSlice ? call.amount : 0;
    if (isInSlice && operation.failure === undefined) {
      // Nothing of this call was written, so nothing has to be undone.
      slices.answered(call, sent, call.amount);
      return true;
    }
    const slice = isInSlice ? { id: '', amount: call.amount } : undefined;
    return await writer.run('ledger.release', { ...operation, slice } satisfies Release, {
      onResult(isReleased: boolean | undefined) {
        if (isReleased === true && call.plans === undefined) slices.answered(call, sent, call.amount);
        else slices.failed(call, sent);
        if (isReleased === undefined && isInSlice) slices.restore(call);
        return isReleased === true;
      },
    });
  }

  /** Ends calls of which only the id and the owner are known. Holds in memory get their rows first and are found there. */
  async function replay(operations: readonly SpooledOperation[]): Promise<(SettleResult | boolean)[]> {
    const results = await asForeignWrite(() =>
      Promise.allSettled(
        operations.map((operation) =>
          operation.kind === 'settle'
            ? settleRow(operation, (result) => result)
            : writer.run<boolean>('ledger.release', operation),
        ),
      ),
    );
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  const endForeignWrite = () => slices.endForeignWrite();
  await writer.guardTables({ tables: balanceTables, beginForeignWrite, endForeignWrite });
  await writer.run('ledger.open', { nodeId, host, version });
  const directory = join(options.dataDir, 'spool');
  const spool = openSpool({ directory, nodeId, onFault: (message) => alert({ kind: 'fault', message }) });
  const probe = () => writer.run<void>('ledger.beat', nodeId);
  const outage = createOutage({ spool, alert, isUnavailable, probe, replay });
  // One process uses the data directory, so every other spool in it is that of a dead one.
  await outage.adopt(await leftSpools(directory, spool.path));

  const unavailable = (cause?: unknown) =>
    new LedgerUnavailableError('the database cannot be written', { cause });

  /** Refused while the file cannot be written. The errors that do not say so concern one operation. */
  async function whileWritable<T>(work: () => Promise<T>): Promise<T> {
    if (outage.isNow) throw unavailable();
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      outage.begin(error);
      throw unavailable(error);
    }
  }

  /**
   * The end of a call that failed: stored in the spool if the file is at fault, else refused. The hold stays where it is: the
   * replay finds it there, and until then no other code can spend its amount.
   */
  async function endLater(error: unknown, operation: SpooledOperation, call?: RunningCall): Promise<void> {
    if (isUnavailable(error)) {
      if (call !== undefined) call.isSpooled = true;
      outage.begin(error);
      return await outage.keep(operation);
    }
    if (call !== undefined && slices.take(call)) slices.failed(call, call.amount);
    throw error;
  }

  return {
    get isWritable() {
      return !outage.isNow;
    },
    admit: (call) => (outage.isNow ? undefined : slices.admit(call)),
    reserve(call, snapshot) {
      const { amount, lifetime } = call;
      return whileWritable(() => {
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
      });
    },
    extend: (requestId, moreAmount, call) =>
      whileWritable(() => {
        const operation: Extend = { kind: 'extend', requestId, moreAmount, memoryHeld: nothingInMemory };
        if (call === undefined) return asForeignWrite(() => writer.run('ledger.extend', operation));
        // Without its row the extension finds no hold and answers false.
        writeRows([call]).catch(() => {});
        slices.send(call, moreAmount);
        operation.memoryHeld = slices.heldBy(call);
        return writer.run('ledger.extend', operation, {
          onResult(isLarger: boolean | undefined) {
            if (isLarger === undefined || call.plans !== undefined) slices.failed(call, moreAmount);
            else slices.answered(call, moreAmount, isLarger ? 0 : moreAmount);
            if (isLarger === true) call.amount += moreAmount;
            return isLarger === true;
          },
        });
      }),
    settle(settlement, call, onResult) {
      const end = async (error?: unknown) => {
        try {
          await endLater(error, { kind: 'settle', ...settlement }, call);
          return onResult(spooledResult(settlement.charge));
        } catch (refusal) {
          onResult(undefined);
          throw refusal;
        }
      };
      if (outage.isNow) return end(unavailable());
      if (call !== undefined) return settleRunning(settlement, call, onResult).catch(end);
      return asForeignWrite(() => settleRow(settlement, onResult)).catch(end);
    },
    async release(released, call) {
      const operation = { kind: 'release', ...released } as const;
      const needsNoWrite = call?.isInMemory === true && released.failure === undefined;
      try {
        if (outage.isNow && !needsNoWrite) throw unavailable();
        if (call === undefined) return await asForeignWrite(() => writer.run('ledger.release', operation));
        return await releaseRunning(operation, call);
      } catch (error) {
        await endLater(error, operation, call);
        return true;
      }
    },
    async noteProgress(notes) {
      const operations = notes.map(({ operation }) => operation);
      try {
        await whileWritable(async () => {
          const written = writeRows(notes.flatMap(({ call }) => call ?? []));
          await Promise.all([written, writer.run('ledger.noteProgress', operations)]);
        });
        return true;
      } catch (error) {
        if (!(error instanceof LedgerUnavailableError)) throw error;
        return false;
      }
    },
    async recover(limit) {
      if (outage.isNow) return [];
      const message = { policy: recoveryPolicy, limit };
      return await whileWritable(async () => {
        await writer.run('ledger.forgetWindows', null);
        return await asForeignWrite(() => writer.run<RecoverResult[]>('ledger.recover', message));
      });
    },
    rollPeriod(subscriptionId) {
      const operation = { kind: 'rollPeriod', requestId: '', subscriptionId };
      return whileWritable(() => writer.run('ledger.rollPeriod', operation));
    },
    async writeHolds() {
      // The probe waits for rows that were sent before.
      await Promise.all([writeRows(slices.calls()), writer.run('ledger.probe', null)]);
    },
    async probe() {
      await writer.run('ledger.probe', null);
    },
    async configure(configuration) {
      ({ recoveryPolicy } = configuration);
      await writer.run('ledger.configure', { lowBalanceThreshold: configuration.lowBalanceThreshold });
    },
    close: outage.close,
  };
}
