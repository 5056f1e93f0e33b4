// The ledger's procedures for the writer thread: the engine over SqliteRows, one set of rows per connection.
import { unixSeconds } from '#contract/time.ts';
import {
  WRITE_SUMS_PROCEDURE,
  writeSumsStatement,
  SUM_COLUMNS,
  type SumsToWrite,
} from '#server/money/audit/sums-statement.ts';
import { budgetCalendar } from '#contract/money/budget-windows.ts';
import type { LedgerConfiguration } from '#server/money/ledger/ledger.ts';
import { countersOf, leftOfCounter } from '#server/money/ledger/engine/budgets.ts';
import { hasLimits } from '#server/money/ledger/engine/limits.ts';
import type {
  Extend,
  NoteProgress,
  RecoverResult,
  RecoveryPolicy,
  Release,
  Reserve,
  RollPeriod,
} from '#server/money/ledger/engine/operations.ts';
import { recover } from '#server/money/ledger/engine/recover.ts';
import { extend, reserve } from '#server/money/ledger/engine/reserve.ts';
import { apply } from '#server/money/ledger/engine/apply.ts';
import type { SliceSize } from '#server/money/ledger/slices.ts';
import { noteProgress, release, settle } from '#server/money/ledger/engine/settle.ts';
import type {
  Procedure,
  WriterContext,
  WriterDefinition,
} from '#server/platform/store/sqlite/writer-thread.ts';
import { decodeSettle, type HoldToWrite, type ReserveAnswer } from './messages.ts';
import { SqliteRows } from './rows.ts';

export function ledgerWriter(): WriterDefinition {
  let rows: SqliteRows | undefined;
  // Not before the first call of a procedure: until the migrations have run there are no tables to prepare for.
  const rowsOf = (context: WriterContext) => (rows ??= newRows(context));
  /** The message is the argument as the main thread sent it. */
  const procedure =
    <Message>(run: (rows: SqliteRows, message: Message, text: string) => unknown): Procedure =>
    (context, message, text) =>
      run(rowsOf(context), message as Message, text);

  const procedures: Record<string, Procedure> = {
    'ledger.reserve': procedure(reserveAndRead),
    'ledger.reserveTask': procedure(reserveAndRead),
    'ledger.extend': procedure<Extend>((ledgerRows, operation) => extend(ledgerRows, operation).isLarger),
    'ledger.settle': procedure((ledgerRows, message, text) =>
      settle(ledgerRows, decodeSettle(message, text)),
    ),
    'ledger.release': procedure<Release>(release),
    'ledger.noteProgress': procedure<readonly NoteProgress[]>((ledgerRows, operations) => {
      for (const operation of operations) noteProgress(ledgerRows, operation);
      return null;
    }),
    'ledger.writeHolds': procedure<readonly HoldToWrite[]>((ledgerRows, holds) => {
      for (const hold of holds) ledgerRows.writeHold(hold);
      return null;
    }),
    'ledger.recover': procedure<{ policy: RecoveryPolicy; limit: number }>((ledgerRows, { policy, limit }) =>
      ledgerRows
        .abandonedHolds(limit)
        .map((requestId): RecoverResult => recover(ledgerRows, { kind: 'recover', requestId, policy })),
    ),
    'ledger.rollPeriod': procedure<RollPeriod>(apply),
    'ledger.open': procedure<{ nodeId: string; host: string; version: string }>((ledgerRows, node) =>
      ledgerRows.beginEpoch(node.nodeId, node.host, node.version),
    ),
    'ledger.configure': procedure<Pick<LedgerConfiguration, 'lowBalanceThreshold' | 'budgetZones'>>(
      (ledgerRows, { lowBalanceThreshold, budgetZones }) => {
        ledgerRows.lowBalanceThreshold = lowBalanceThreshold;
        ledgerRows.budgets = budgetCalendar(budgetZones);
        return null;
      },
    ),
    'ledger.forgetWindows': procedure((ledgerRows) => {
      ledgerRows.forgetWindows();
      return null;
    }),
    'ledger.probe': () => null,
    // A write, to see whether the file takes one.
    'ledger.beat': (context, nodeId) => {
      context.statement('UPDATE nodes SET heartbeat_at = ? WHERE id = ?').run(unixSeconds(), String(nodeId));
      return null;
    },
    [WRITE_SUMS_PROCEDURE]: writeKeptSums,
  };
  return {
    procedures,
    // A power cut may take these: the call of a lost hold has no end that anyone saw, and its settlement syncs; lost sums are
    // summed again.
    unsynced: ['ledger.reserve', 'ledger.extend', 'ledger.writeHolds', 'ledger.probe', WRITE_SUMS_PROCEDURE],
    onBatchStart: () => rows?.start(),
    onBatchEnd: () => rows?.flush(),
  };
}

function reserveAndRead(rows: SqliteRows, operation: Reserve): ReserveAnswer {
  const result = reserve(rows, operation);
  return { result, size: result.ok ? sliceSize(rows, operation) : null };
}

/** null when limits apply: the writer checks those call by call. */
function sliceSize(rows: SqliteRows, { userId, tokenId, budgets = '' }: Reserve): SliceSize | null {
  const user = rows.user(userId);
  const token = tokenId === 0 ? undefined : rows.token(tokenId);
  if (user === undefined || token === undefined || hasLimits(user) || hasLimits(token)) return null;
  return {
    ofUser: user.quota - user.held,
    ofToken: token.isUnlimited ? null : token.remain - token.held,
    expiresAt: token.expiredTime,
    ...(budgets === '' ? {} : { ofBudgets: sizesOfBudgets(rows, budgets) }),
  };
}

/** A counter that is gone limits nothing, and has no place in the list. */
function sizesOfBudgets(rows: SqliteRows, budgets: string): SliceSize['ofBudgets'] {
  return countersOf(rows, budgets).map(({ counter }) => {
    const left = leftOfCounter({ counter, inMemory: 0 });
    const { id, isHard, windowEnd } = counter;
    return { id, size: isHard ? left : null, windowEnd };
  });
}

const writeKeptSums: Procedure = (context, argument) => {
  const { rows, from } = argument as SumsToWrite;
  const statement = context.statement(
    writeSumsStatement(`values (${SUM_COLUMNS.map(() => '?').join(', ')})`, from, '?'),
  );
  for (const row of rows)
    statement.run(...SUM_COLUMNS.map((name) => row[name]), ...(from === undefined ? [] : [from]));
  return null;
};

function newRows(context: WriterContext): SqliteRows {
  const rows = new SqliteRows(context);
  rows.start();
  return rows;
}
