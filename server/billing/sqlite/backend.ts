// The ledger on SQLite: every operation is a procedure of the writer thread, which commits in groups.
import type { LedgerBackend, SpendingOperation } from '#server/billing/backend.ts';
import type { RecoverResult, RecoveryPolicy } from '#server/billing/engine/operations.ts';
import type { SqliteStore } from '#server/store/store.ts';

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
    run: (name, args) => writer.run(procedureOf(name, args), args),
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

/** A task's hold outlives the process, so it is written at once. */
function procedureOf(name: SpendingOperation, args: readonly unknown[]): string {
  return name === 'reserve' && args[7] === 'task' ? 'ledger.reserveTask' : `ledger.${name}`;
}
