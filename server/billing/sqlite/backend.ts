// The ledger on SQLite: every operation is a procedure of the writer thread, which commits in groups.
import type { LedgerBackend } from '#server/billing/backend.ts';
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
    run: (name, args) => writer.run(`ledger.${name}`, args),
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
