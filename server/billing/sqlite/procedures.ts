// The ledger's procedures for the writer thread: the engine over SqliteRows, one set of rows per connection.
import type { Procedure, WriterContext, WriterDefinition } from '#server/store/sqlite/writer-thread.ts';
import {
  logColumns,
  type CheckpointArgs,
  type ExtendArgs,
  type RecoverResult,
  type RecoveryPolicy,
  type ReleaseArgs,
  type ReserveArgs,
  type SettleArgs,
} from '#server/billing/engine/operations.ts';
import { recover } from '#server/billing/engine/recover.ts';
import { extend, reserve } from '#server/billing/engine/reserve.ts';
import type { LowBalanceMail } from '#server/billing/engine/rows.ts';
import { checkpoint, release, settle } from '#server/billing/engine/settle.ts';
import { SqliteRows } from './rows.ts';

export function ledgerWriter(): WriterDefinition {
  let rows: SqliteRows | undefined;
  // Not before the first call of a procedure: until the migrations have run there are no tables to prepare for.
  const rowsOf = (context: WriterContext) => (rows ??= newRows(context));
  const procedures: Record<string, Procedure> = {
    'ledger.reserve': (context, args) => reserve(rowsOf(context), args as unknown as ReserveArgs),
    'ledger.reserveTask': (context, args) => reserve(rowsOf(context), args as unknown as ReserveArgs),
    'ledger.settle': (context, args) => settle(rowsOf(context), settleArgs(args)),
    'ledger.release': (context, args) => release(rowsOf(context), args as unknown as ReleaseArgs),
    'ledger.extend': (context, args) => extend(rowsOf(context), args as unknown as ExtendArgs),
    'ledger.checkpoints': (context, args) => {
      for (const item of args as readonly CheckpointArgs[]) checkpoint(rowsOf(context), item);
      return null;
    },
    'ledger.open': (context, args) => {
      const [nodeId, host, version] = args as [string, string, string];
      return rowsOf(context).beginEpoch(nodeId, host, version);
    },
    'ledger.configure': (context, args) => {
      rowsOf(context).lowBalanceMail = args[0] as LowBalanceMail;
      return null;
    },
    'ledger.recover': (context, args) => {
      const [policy, limit] = args as [RecoveryPolicy, number];
      const ledgerRows = rowsOf(context);
      return ledgerRows
        .abandonedHolds(limit)
        .map((id): [string, RecoverResult] => [id, recover(ledgerRows, [id, policy])]);
    },
    // For readers that must see what running calls hold.
    'ledger.writeHolds': (context) => {
      rowsOf(context).writeHolds();
      return null;
    },
    'ledger.forgetWindows': (context) => {
      rowsOf(context).forgetWindows();
      return null;
    },
  };
  return {
    procedures,
    deferred: ['ledger.reserve'],
    // An enlarged hold that a power cut takes belongs to a call nobody saw the end of; its settlement syncs.
    unsynced: ['ledger.reserve', 'ledger.extend'],
    onBatchStart: () => rows?.start(),
    isPending: () => rows?.isPending ?? false,
    onBatchEnd: () => rows?.flush(),
    onForeign(sql) {
      if (sql === null || /held_quota|holds/.test(sql)) rows?.writeHolds();
      rows?.flush();
    },
    onForeignEnd: () => rows?.forgetRows(),
    mark: () => rows?.mark() ?? 0,
    onCommit: () => rows?.committed(),
    onRollback: (mark) => rows?.rolledBack(mark),
  };
}

/** The last field of the log row comes beside the others; after a failure the same arguments are run again. */
function settleArgs(args: readonly unknown[]): SettleArgs {
  const log = args[11] as (string | number)[] | null;
  if (log !== null && log.length < logColumns.length) log.push(args[12] as string);
  return args as unknown as SettleArgs;
}

function newRows(context: WriterContext): SqliteRows {
  const rows = new SqliteRows(context);
  rows.start();
  return rows;
}
