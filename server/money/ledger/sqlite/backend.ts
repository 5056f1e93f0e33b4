// The ledger on SQLite. One process uses the file, so its slice of every balance is all of it: the main thread takes a hold inside it
// if it knows the size, else the writer thread checks everything and writes the row. A hold that lives longer, or that other code
// must see, gets its row by `ledger.writeHolds`. Operations run in the order in which they are sent, in group commits. When the file
// cannot be written (disk full, IO error, lock of another process) new calls are refused and ending ones go to the spool.
import { join } from 'node:path';
import type { LedgerBackend, ProgressNote, ReleasedCall, Settlement } from '#server/money/ledger/backend.ts';
import type {
  RecoverResult,
  RecoveryPolicy,
  ReserveResult,
  SettleResult,
} from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import type { LedgerAlert, LedgerConfiguration } from '#server/money/ledger/ledger.ts';
import { createOutage, spooledResult, type Outage } from '#server/money/ledger/outage.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { leftSpools } from '#server/money/ledger/spool-adoption.ts';
import type { SpooledOperation } from '#server/money/ledger/spool-lines.ts';
import { openSpool } from '#server/money/ledger/spool.ts';
import { isUnavailable } from '#server/platform/store/errors.ts';
import type { SqliteStore } from '#server/platform/store/store.ts';
import type { Writer } from '#server/platform/store/types.ts';
import { SentCalls } from './calls.ts';

/** SQLite serves one process, so one name is enough; the epoch distinguishes its runs. */
const nodeId = 'local';

/** Statements that name one of these see holds and balances. */
const balanceTables = ['users', 'tokens', 'holds'];

export interface SqliteBackendOptions extends Record<'host' | 'version' | 'dataDir', string> {
  store: SqliteStore;
  alert: (alert: LedgerAlert) => void;
}

export async function openSqliteBackend(options: SqliteBackendOptions): Promise<LedgerBackend> {
  const { host, version, alert } = options;
  const { writer } = options.store;
  const calls = new SentCalls(writer);
  await writer.guardTables({
    tables: balanceTables,
    beginForeignWrite: () => calls.beginForeignWrite(),
    endForeignWrite: () => calls.slices.endForeignWrite(),
  });
  await writer.run('ledger.open', { nodeId, host, version });
  const directory = join(options.dataDir, 'spool');
  const spool = openSpool({ directory, nodeId, onFault: (message) => alert({ kind: 'fault', message }) });
  const probe = () => writer.run<void>('ledger.beat', nodeId);
  const replay = (operations: readonly SpooledOperation[]) => calls.replay(operations);
  const outage = createOutage({ spool, alert, isUnavailable, probe, replay });
  // One process uses the data directory, so every other spool in it is that of a dead one.
  await outage.adopt(await leftSpools(directory, spool.path));
  return new SqliteBackend(writer, calls, outage);
}

const unavailable = (cause?: unknown) =>
  new LedgerUnavailableError('the database cannot be written', { cause });

class SqliteBackend implements LedgerBackend {
  readonly #writer: Writer;
  readonly #calls: SentCalls;
  readonly #outage: Outage;
  #recoveryPolicy: RecoveryPolicy = 'checkpoint';

  constructor(writer: Writer, calls: SentCalls, outage: Outage) {
    this.#writer = writer;
    this.#calls = calls;
    this.#outage = outage;
  }

  get isWritable(): boolean {
    return !this.#outage.isNow;
  }

  admit(call: RunningCall): number | undefined {
    return this.#outage.isNow ? undefined : this.#calls.slices.admit(call);
  }

  reserve(call: RunningCall, snapshot: string): Promise<ReserveResult> {
    return this.#whileWritable(() => this.#calls.reserve(call, snapshot));
  }

  extend(requestId: string, moreAmount: number, call: RunningCall | undefined): Promise<boolean> {
    return this.#whileWritable(() => this.#calls.extend(requestId, moreAmount, call));
  }

  settle<T>(
    settlement: Settlement,
    call: RunningCall | undefined,
    onResult: (result: SettleResult | undefined) => T,
  ): Promise<T> {
    const end = async (error?: unknown) => {
      try {
        await this.#endLater(error, { kind: 'settle', ...settlement }, call);
        return onResult(spooledResult(settlement.charge));
      } catch (refusal) {
        onResult(undefined);
        throw refusal;
      }
    };
    if (this.#outage.isNow) return end(unavailable());
    return this.#calls.settle(settlement, call, onResult).catch(end);
  }

  async release(released: ReleasedCall, call: RunningCall | undefined): Promise<boolean> {
    const operation = { kind: 'release', ...released } as const;
    const needsNoWrite = call?.isInMemory === true && released.failure === undefined;
    try {
      if (this.#outage.isNow && !needsNoWrite) throw unavailable();
      return await this.#calls.release(operation, call);
    } catch (error) {
      await this.#endLater(error, operation, call);
      return true;
    }
  }

  async noteProgress(notes: readonly ProgressNote[]): Promise<boolean> {
    const operations = notes.map(({ operation }) => operation);
    try {
      await this.#whileWritable(async () => {
        const written = this.#calls.writeRows(notes.flatMap(({ call }) => call ?? []));
        await Promise.all([written, this.#writer.run('ledger.noteProgress', operations)]);
      });
      return true;
    } catch (error) {
      if (!(error instanceof LedgerUnavailableError)) throw error;
      return false;
    }
  }

  async recover(limit: number): Promise<readonly RecoverResult[]> {
    if (this.#outage.isNow) return [];
    const message = { policy: this.#recoveryPolicy, limit };
    return await this.#whileWritable(async () => {
      await this.#writer.run('ledger.forgetWindows', null);
      return await this.#calls.asForeignWrite(() =>
        this.#writer.run<RecoverResult[]>('ledger.recover', message),
      );
    });
  }

  rollPeriod(subscriptionId: number): Promise<boolean> {
    const operation = { kind: 'rollPeriod', requestId: '', subscriptionId };
    return this.#whileWritable(() => this.#writer.run('ledger.rollPeriod', operation));
  }

  async writeHolds(): Promise<void> {
    // The probe waits for rows that were sent before.
    await Promise.all([
      this.#calls.writeRows(this.#calls.slices.calls()),
      this.#writer.run('ledger.probe', null),
    ]);
  }

  async probe(): Promise<void> {
    await this.#writer.run('ledger.probe', null);
  }

  async configure({ recoveryPolicy, lowBalanceThreshold }: LedgerConfiguration): Promise<void> {
    this.#recoveryPolicy = recoveryPolicy;
    await this.#writer.run('ledger.configure', { lowBalanceThreshold });
  }

  close(): Promise<void> {
    return this.#outage.close();
  }

  /** Refused while the file cannot be written. The errors that do not say so concern one operation. */
  async #whileWritable<T>(work: () => Promise<T>): Promise<T> {
    if (this.#outage.isNow) throw unavailable();
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#outage.begin(error);
      throw unavailable(error);
    }
  }

  /**
   * The end of a call that failed: stored in the spool if the file is at fault, else refused. The hold stays where it is: the
   * replay finds it there, and until then no other code can spend its amount.
   */
  async #endLater(error: unknown, operation: SpooledOperation, call?: RunningCall): Promise<void> {
    if (isUnavailable(error)) {
      if (call !== undefined) call.isSpooled = true;
      this.#outage.begin(error);
      return await this.#outage.keep(operation);
    }
    const { slices } = this.#calls;
    if (call !== undefined && slices.take(call)) slices.failed(call, call.amount);
    throw error;
  }
}
