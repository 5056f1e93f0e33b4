// The ledger on SQLite: every operation is a procedure of the writer thread, which commits in groups.
import type { LedgerBackend, SpendingOperation } from '#server/billing/backend.ts';
import type { RecoverResult, RecoveryPolicy, SettleArgs } from '#server/billing/engine/operations.ts';
import type { SqliteStore, Writer } from '#server/store/store.ts';

/** SQLite serves one process, so one name is enough; the epoch tells its runs apart. */
const nodeId = 'local';

export async function openSqliteBackend(
  store: SqliteStore,
  host: string,
  version: string,
): Promise<LedgerBackend> {
  const { writer } = store;
  let recoveryPolicy: RecoveryPolicy = 'checkpoint';
  await writer.run('ledger.open', [nodeId, host, version]);
  return {
    writesHoldsLate: true,
    async writeHolds() {
      await writer.run('ledger.writeHolds', []);
    },
    run: (name, args) =>
      name === 'settle' ? settle(writer, args as SettleArgs) : writer.run(procedureOf(name, args), args),
    async checkpoints(list) {
      await writer.run('ledger.checkpoints', list);
    },
    async recover(limit) {
      await writer.run('ledger.forgetWindows', []);
      return writer.run<[string, RecoverResult][]>('ledger.recover', [recoveryPolicy, limit]);
    },
    async configure(configuration) {
      ({ recoveryPolicy } = configuration);
      await writer.run('ledger.configure', [configuration.lowBalanceMail]);
    },
    async close() {},
  };
}

/** The last field of a log row is a text of JSON: it goes along as it is. */
function settle<T>(writer: Writer, args: SettleArgs): Promise<T> {
  const log = args[11];
  if (log === null) return writer.run('ledger.settle', args);
  return writer.run('ledger.settle', args.with(11, log.slice(0, -1)), log.at(-1) as string);
}

/** A task's hold outlives the process, so it is written at once. */
function procedureOf(name: SpendingOperation, args: readonly unknown[]): string {
  return name === 'reserve' && args[7] === 'task' ? 'ledger.reserveTask' : `ledger.${name}`;
}
