// The ledger on SQLite. When the file cannot be written (disk full, IO error, lock of another process) new calls are refused
// and ending ones go to the spool, until the file takes a write again.
import { join } from 'node:path';
import type { LedgerBackend } from '#server/money/ledger/backend.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { LedgerAlert } from '#server/money/ledger/ledger.ts';
import { createOutage, spooledResult } from '#server/money/ledger/outage.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { leftSpools } from '#server/money/ledger/spool-adoption.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import { openSpool } from '#server/money/ledger/spool.ts';
import { isUnavailable } from '#server/platform/store/errors.ts';
import type { SqliteStore } from '#server/platform/store/store.ts';
import { openDirectOperations } from './direct.ts';

/** SQLite serves one process, so one name is enough; the epoch distinguishes its runs. */
const nodeId = 'local';

export interface SqliteBackendOptions {
  store: SqliteStore;
  host: string;
  version: string;
  dataDir: string;
  alert: (alert: LedgerAlert) => void;
}

export async function openSqliteBackend(options: SqliteBackendOptions): Promise<LedgerBackend> {
  const { host, version, alert } = options;
  const { writer } = options.store;
  const directory = join(options.dataDir, 'spool');
  const direct = await openDirectOperations(writer);
  await writer.run('ledger.open', { nodeId, host, version });
  const spool = openSpool({ directory, nodeId, onFault: (message) => alert({ kind: 'fault', message }) });
  const outage = createOutage({
    spool,
    alert,
    isUnavailable,
    probe: () => writer.run('ledger.beat', nodeId),
    replay: direct.replay,
  });
  // One process uses the data directory, so every other spool in it is that of a dead one.
  await outage.adopt(await leftSpools(directory, spool.path));

  const unavailable = (cause?: unknown) =>
    new LedgerUnavailableError('the database cannot be written', { cause });

  /** The other errors concern one operation. */
  function failed(error: unknown): never {
    if (!isUnavailable(error)) throw error;
    outage.begin(error);
    throw unavailable(error);
  }

  /**
   * The end of a call that failed: stored in the spool if the file is at fault, else refused. The hold stays where it is: the
   * replay finds it there, and until then no other code can spend its amount.
   */
  async function endLater<T>(
    error: unknown,
    operation: SpooledOperation,
    call: RunningCall | undefined,
    result: T,
  ): Promise<T> {
    if (isUnavailable(error)) {
      if (call !== undefined) call.isSpooled = true;
      outage.begin(error);
      await outage.keep(operation);
      return result;
    }
    if (call !== undefined) direct.abandon(call);
    throw error;
  }

  return {
    get isWritable() {
      return !outage.isNow;
    },
    admit: (call) => (outage.isNow ? undefined : direct.admit(call)),
    reserve(call, snapshot) {
      if (outage.isNow) return Promise.reject(unavailable());
      return direct.reserve(call, snapshot).catch(failed);
    },
    extend(requestId, moreAmount, call) {
      if (outage.isNow) return Promise.reject(unavailable());
      return direct.extend(requestId, moreAmount, call).catch(failed);
    },
    settle(settlement, call, onResult) {
      const end = async (error?: unknown) => {
        try {
          const operation = { kind: 'settle', ...settlement } as const;
          const result = spooledResult(settlement.charge);
          return onResult(await endLater(error, operation, call, result));
        } catch (refusal) {
          onResult(undefined);
          throw refusal;
        }
      };
      return outage.isNow ? end(unavailable()) : direct.settle(settlement, call, onResult).catch(end);
    },
    release(released, call) {
      const operation = { kind: 'release', ...released } as const;
      const needsNoWrite = call?.isInMemory === true && released.failure === undefined;
      if (outage.isNow && !needsNoWrite) return endLater(unavailable(), operation, call, true);
      return direct.release(released, call).catch((error: unknown) => endLater(error, operation, call, true));
    },
    async noteProgress(notes) {
      if (outage.isNow) return false;
      try {
        return await direct.noteProgress(notes);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        outage.begin(error);
        return false;
      }
    },
    recover: (limit) => (outage.isNow ? Promise.resolve([]) : direct.recover(limit).catch(failed)),
    rollPeriod: (subscriptionId) =>
      outage.isNow ? Promise.reject(unavailable()) : direct.rollPeriod(subscriptionId).catch(failed),
    writeHolds: direct.writeHolds,
    probe: direct.probe,
    configure: direct.configure,
    close: outage.close,
  };
}
