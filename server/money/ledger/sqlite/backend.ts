// The ledger on SQLite. One process uses the file, so its slice of every balance is all of it: the main thread takes a hold inside it
// if it knows the size, else the writer thread checks everything and writes the row. A hold that lives longer, or that other code
// must see, gets its row by `ledger.writeHolds`. Operations run in the order in which they are sent, in group commits. When the file
// cannot be written (disk full, IO error, lock of another process) new calls are refused and ending ones go to the spool.
import { join } from 'node:path';
import type { LedgerBackend } from '#server/money/ledger/backend.ts';
import type { RecoverResult, RecoveryPolicy } from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { LedgerAlert } from '#server/money/ledger/ledger.ts';
import { createOutage, spooledResult, type Outage } from '#server/money/ledger/outage.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { Slices } from '#server/money/ledger/slices.ts';
import { listLeftSpools } from '#server/money/ledger/spool-adoption.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import { openSpool } from '#server/money/ledger/spool.ts';
import { isUnavailable } from '#server/platform/store/errors.ts';
import type { SqliteStore } from '#server/platform/store/store.ts';
import type { Writer } from '#server/platform/store/types.ts';
import { SentCalls } from './calls.ts';

/** SQLite serves one process, so one name is enough; the epoch distinguishes its runs. */
const NODE_ID = 'local';

/** Statements that name one of these see holds and balances. */
const BALANCE_TABLES = ['users', 'tokens', 'holds', 'budget_counters'];

export interface SqliteBackendOptions extends Record<'host' | 'version' | 'dataDir', string> {
  store: SqliteStore;
  alert: (alert: LedgerAlert) => void;
}

export async function openSqliteBackend(options: SqliteBackendOptions): Promise<LedgerBackend> {
  const { host, version, alert } = options;
  const { writer } = options.store;
  const calls = new SentCalls(writer);
  await writer.guardTables({
    tables: BALANCE_TABLES,
    beginForeignWrite: () => calls.beginForeignWrite(),
    endForeignWrite: () => calls.slices.endForeignWrite(),
  });
  await writer.run('ledger.open', { nodeId: NODE_ID, host, version });
  const directory = join(options.dataDir, 'spool');
  const spool = openSpool({
    directory,
    nodeId: NODE_ID,
    onFault: (message) => alert({ kind: 'fault', message }),
  });
  const probe = () => writer.run<void>('ledger.beat', NODE_ID);
  const replay = (operations: readonly SpooledOperation[]) => calls.replay(operations);
  const outage = createOutage({ spool, alert, isUnavailable, probe, replay });
  // One process uses the data directory, so every other spool in it is that of a dead one.
  await outage.adopt(await listLeftSpools(directory, spool.path));
  return backendOf(writer, calls, outage);
}

const unavailable = (cause?: unknown) =>
  new LedgerUnavailableError('the database cannot be written', { cause });

/** Refused while the file cannot be written. The errors that do not say so concern one operation. */
async function whileWritable<T>(outage: Outage, work: () => Promise<T>): Promise<T> {
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
async function endLater(
  { outage, slices }: { outage: Outage; slices: Slices },
  error: unknown,
  operation: SpooledOperation,
  call: RunningCall | undefined,
): Promise<void> {
  if (isUnavailable(error)) {
    if (call !== undefined) call.isSpooled = true;
    outage.begin(error);
    return await outage.keep(operation);
  }
  if (call !== undefined && slices.take(call)) slices.failed(call, call.amount);
  throw error;
}

function backendOf(writer: Writer, calls: SentCalls, outage: Outage): LedgerBackend {
  const { slices } = calls;
  const parts = { outage, slices };
  let recoveryPolicy: RecoveryPolicy = 'checkpoint';

  return {
    get isWritable() {
      return !outage.isNow;
    },
    admit: (call) => (outage.isNow ? undefined : slices.admit(call)),
    reserve: (call, snapshot) => whileWritable(outage, () => calls.reserve(call, snapshot)),
    extend: (requestId, moreAmount, call) =>
      whileWritable(outage, () => calls.extend(requestId, moreAmount, call)),
    settle(settlement, call, onResult) {
      const end = async (error?: unknown) => {
        try {
          await endLater(parts, error, { kind: 'settle', ...settlement }, call);
          return onResult(spooledResult(settlement.charge));
        } catch (refusal) {
          onResult(undefined);
          throw refusal;
        }
      };
      if (outage.isNow) return end(unavailable());
      return calls.settle(settlement, call, onResult).catch(end);
    },
    async release(released, call) {
      const operation = { kind: 'release', ...released } as const;
      const needsNoWrite = call?.isInMemory === true && released.failure === undefined;
      try {
        if (outage.isNow && !needsNoWrite) throw unavailable();
        return await calls.release(operation, call);
      } catch (error) {
        await endLater(parts, error, operation, call);
        return true;
      }
    },
    async noteProgress(notes) {
      const operations = notes.map(({ operation }) => operation);
      try {
        await whileWritable(outage, async () => {
          const written = calls.writeRows(notes.flatMap(({ call }) => call ?? []));
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
      return await whileWritable(outage, async () => {
        await writer.run('ledger.forgetWindows', null);
        return await calls.asForeignWrite(() => writer.run<RecoverResult[]>('ledger.recover', message));
      });
    },
    rollPeriod(subscriptionId) {
      const operation = { kind: 'rollPeriod', requestId: '', subscriptionId };
      return whileWritable(outage, () => writer.run('ledger.rollPeriod', operation));
    },
    async writeHolds() {
      // The probe waits for rows that were sent before.
      await Promise.all([calls.writeRows(slices.calls()), writer.run('ledger.probe', null)]);
    },
    async probe() {
      await writer.run('ledger.probe', null);
    },
    async configure(configuration) {
      ({ recoveryPolicy } = configuration);
      const { lowBalanceThreshold, budgetZones } = configuration;
      await writer.run('ledger.configure', { lowBalanceThreshold, budgetZones });
    },
    close: outage.close,
  };
}
