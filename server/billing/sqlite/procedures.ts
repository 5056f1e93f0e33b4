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
  type ReserveResult,
  type SettleArgs,
  type SettleResult,
} from '#server/billing/engine/operations.ts';
import { hasLimits } from '#server/billing/engine/limits.ts';
import { recover } from '#server/billing/engine/recover.ts';
import { extend, reserve } from '#server/billing/engine/reserve.ts';
import type { LowBalanceMail } from '#server/billing/engine/rows.ts';
import {
  checkpoint,
  loggedReference,
  release,
  settle,
  settleHold,
  unloggedReference,
} from '#server/billing/engine/settle.ts';
import type { EarlyHoldArgs, Means } from './early-holds.ts';
import { SqliteRows } from './rows.ts';

export function ledgerWriter(): WriterDefinition {
  let rows: SqliteRows | undefined;
  // Not before the first call of a procedure: until the migrations have run there are no tables to prepare for.
  const rowsOf = (context: WriterContext) => (rows ??= newRows(context));
  const procedures: Record<string, Procedure> = {
    'ledger.reserve': (context, args) => reserveTelling(rowsOf(context), args as unknown as ReserveArgs),
    'ledger.reserveTask': (context, args) => reserveTelling(rowsOf(context), args as unknown as ReserveArgs),
    'ledger.openHolds': (context, args) => {
      for (const item of args as readonly EarlyHoldArgs[]) openEarly(rowsOf(context), item);
      return null;
    },
    'ledger.settle': (context, args) => settle(rowsOf(context), settleArgs(args, 12)),
    'ledger.settleEarly': (context, args) => settleEarly(rowsOf(context), args),
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
    deferred: ['ledger.reserve', 'ledger.openHolds'],
    // An enlarged hold that a power cut takes belongs to a call nobody saw the end of; its settlement syncs.
    unsynced: ['ledger.reserve', 'ledger.openHolds', 'ledger.extend'],
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

/** With an admission goes what the main thread may promise by itself from now on. */
function reserveTelling(rows: SqliteRows, args: ReserveArgs): [ReserveResult, Means | null] {
  const result = reserve(rows, args);
  return [result, result.length === 1 ? meansOf(rows, args[1], args[2]) : null];
}

/** Nothing of those who have limits: these are looked at call by call. */
function meansOf(rows: SqliteRows, userId: number, tokenId: number): Means | null {
  const user = rows.user(userId);
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  if (user === undefined || token === undefined || hasLimits(user) || hasLimits(token)) return null;
  return [user.quota - user.held, token.isUnlimited ? null : token.remain - token.held, token.expiredTime];
}

/** A hold that was taken on the main thread, now known here. */
function openEarly(rows: SqliteRows, args: EarlyHoldArgs): void {
  const [id, userId, tokenId, amount, createdAt, expiresAt] = args;
  // One that is there already must not keep the others of the message from being set aside.
  if (rows.isOwnHold(id)) return;
  const { nodeId, epoch } = rows;
  const sent = { dispatched: false, checkpointQuota: 0, checkpoint: '', snapshot: '' };
  rows.openHold({ id, userId, tokenId, nodeId, epoch, amount, createdAt, expiresAt, ...sent });
  hold(rows, userId, tokenId, amount);
}

function hold(rows: SqliteRows, userId: number, tokenId: number, amount: number): void {
  const user = rows.user(userId);
  const token = rows.token(tokenId);
  if (user !== undefined) user.held += amount;
  if (token !== undefined) token.held += amount;
}

/** The settlement brings its hold along, unless that had to be told before. */
function settleEarly(rows: SqliteRows, args: readonly unknown[]): SettleResult {
  const [userId, tokenId, amount, createdAt] = args[12] as [number, number, number, number];
  const settlement = settleArgs(args, 13);
  const id = settlement[0];
  const told = rows.takeOwnHold(id);
  if (told === undefined) hold(rows, userId, tokenId, amount);
  const taken = told ?? { id, userId, tokenId, amount, createdAt };
  return settleHold(rows, taken, settlement, settlement[11] === null ? unloggedReference : loggedReference);
}

/** The last field of the log row comes beside the others; after a failure the same arguments are run again. */
function settleArgs(args: readonly unknown[], textAt: number): SettleArgs {
  const log = args[11] as (string | number)[] | null;
  if (log !== null && log.length < logColumns.length) log.push(args[textAt] as string);
  return args as unknown as SettleArgs;
}

function newRows(context: WriterContext): SqliteRows {
  const rows = new SqliteRows(context);
  rows.start();
  return rows;
}
