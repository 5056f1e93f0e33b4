// The writer thread: one connection, group commit. A batch is BEGIN IMMEDIATE, every operation, COMMIT, one answer; the
// answer leaves after the commit is durable. An operation that throws never takes its neighbours down: the batch is
// rolled back and run again with each operation on its own savepoint.
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import {
  openWritable,
  runStatement,
  SYNC_EACH_COMMIT,
  SYNC_LATER,
  statementCache,
  type Statements,
} from './connection.ts';
import {
  isBatch,
  readMessage,
  serialError,
  STATEMENT,
  type Batch,
  type Control,
  type SerialError,
} from './protocol.ts';
import { serveThread } from './thread.ts';

export interface WriterContext {
  readonly database: Database;
  /** The prepared statement of this text, prepared once. Hot procedures may keep it for the life of the context. */
  statement(sql: string): Statement<unknown, SQLQueryBindings[]>;
}

/**
 * Synchronous, inside the batch's transaction. Arguments and result are JSON values. A refusal (not enough quota) is a
 * returned value; throwing is for faults, costs the whole batch a second run, and undoes only this procedure.
 */
export type Procedure = (context: WriterContext, args: readonly unknown[]) => unknown;

export interface WriterDefinition {
  procedures: Readonly<Record<string, Procedure>>;
  /**
   * Names of procedures whose effect may be lost in a power cut (never at kill -9) until a later batch is synced: nobody
   * has been told anything that depends on it. A batch of these alone commits without waiting for the disk.
   */
  unsynced?: readonly string[];
  /** Names of procedures that write nothing themselves but leave it to `onBatchEnd`. */
  deferred?: readonly string[];
  /** A batch (or, after a failure, one operation of it) begins. */
  onBatchStart?: (context: WriterContext) => void;
  /** `onBatchEnd` would write something. Without it a batch of deferred procedures needs no transaction. */
  isPending?: () => boolean;
  /** Before COMMIT: write cached rows. May throw. */
  onBatchEnd?: (context: WriterContext) => void;
  /** Before a statement (null: a whole transaction) of someone else: write all that it may look at. May throw. */
  onForeign?: (sql: string | null) => void;
  /** It has ended: nothing remembered of the tables counts any more. */
  onForeignEnd?: () => void;
  /** What is remembered beside the tables follows them: a mark is taken, and after a failure all since then is undone. */
  mark?: () => number;
  onCommit?: () => void;
  onRollback?: (mark: number) => void;
}

type Failures = [number, SerialError][];

/** Called by the writer's entry module; from then on this thread belongs to the store. */
export function runWriter(definition: WriterDefinition): void {
  const isLight = (name: string) => definition.deferred?.includes(name) ?? false;
  const names = Object.keys(definition.procedures).map((name) => [name, isLight(name)]);
  let writer: ReturnType<typeof createWriter> | undefined;
  serveThread((text) => {
    const message = readMessage(text);
    if (isBatch(message)) {
      // The main thread sends batches only after `open` was answered.
      return writer === undefined ? '[[],[]]' : batchReply(message, writer.runBatch(message));
    }
    try {
      if (message.kind === 'open') {
        writer = createWriter(openWritable(message.file), definition);
        return JSON.stringify({ value: names });
      }
      return JSON.stringify({ value: writer?.control(message) ?? null });
    } catch (error) {
      return JSON.stringify({ error: serialError(error) });
    }
  });
}

/** A result that JSON cannot carry is a fault of its procedure, but the callers must hear an answer all the same. */
function batchReply(batch: Batch, reply: readonly [unknown[], Failures]): string {
  try {
    return JSON.stringify(reply);
  } catch (error) {
    const failure = {
      message: `committed, but a result cannot be sent: ${serialError(error).message}`,
      code: 'ERROR',
    };
    return JSON.stringify([[], Array.from({ length: batch.length / 2 }, (_, index) => [index, failure])]);
  }
}

/** The writer without its thread, so that its rules can be tested directly. */
export function createWriter(database: Database, definition: WriterDefinition) {
  const statements: Statements = statementCache(database);
  const procedures = Object.values(definition.procedures);
  // Procedures use a fixed set of texts and may keep what they got, so theirs are never evicted.
  const kept: Statements = statementCache(database, Number.POSITIVE_INFINITY);
  const context: WriterContext = { database, statement: kept.statement };
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const names = Object.keys(definition.procedures);
  const numbersOf = (list: readonly string[] = []) => new Set(list.map((name) => names.indexOf(name)));
  const unsynced = numbersOf(definition.unsynced);
  const deferred = numbersOf(definition.deferred);
  let isSyncing = true;
  const nothing = (): void => {};
  const start = definition.onBatchStart ?? nothing;
  const end = definition.onBatchEnd ?? nothing;
  const foreign = definition.onForeign ?? (() => end(context));
  const foreignEnd = definition.onForeignEnd ?? nothing;
  const mark = definition.mark ?? (() => 0);
  const committed = definition.onCommit ?? nothing;
  const rolledBack = definition.onRollback ?? nothing;
  let leaseMark = 0;

  /** Outside a transaction only. The next sync covers every commit before it: the log is one file, written in order. */
  function beginWith(needsSync: boolean): void {
    if (needsSync !== isSyncing) {
      database.run(needsSync ? SYNC_EACH_COMMIT : SYNC_LATER);
      isSyncing = needsSync;
    }
    begin.run();
  }

  function isOnlyOf(batch: Batch, operations: ReadonlySet<number>): boolean {
    for (let index = 0; index < batch.length; index += 2)
      if (!operations.has(batch[index] as number)) return false;
    return true;
  }

  function rollback(): void {
    // SQLITE_FULL and SQLITE_IOERR have already rolled back; a second ROLLBACK would hide the first error.
    if (database.inTransaction) database.run('ROLLBACK');
  }

  function runOperation(operation: number, args: readonly unknown[]): unknown {
    const procedure = procedures[operation];
    if (procedure === undefined) throw new Error(`unknown procedure ${operation}`);
    return procedure(context, args);
  }

  function runForeign(args: readonly unknown[]): unknown {
    return runStatement(statements, args[0] as string, args[1] as readonly unknown[]);
  }

  function runTogether(batch: Batch): readonly [unknown[], Failures] {
    const results: unknown[] = [];
    const failures: Failures = [];
    const isDeferred = isOnlyOf(batch, deferred);
    if (!isDeferred) beginWith(!isOnlyOf(batch, unsynced));
    start(context);
    for (let index = 0; index < batch.length; index += 2) {
      const operation = batch[index] as number;
      const args = batch[index + 1] as readonly unknown[];
      if (operation !== STATEMENT) {
        results.push(runOperation(operation, args));
        continue;
      }
      foreign(args[0] as string);
      try {
        results.push(runForeign(args));
      } catch (error) {
        // A failed statement undoes only itself, unless the engine gave up the transaction.
        if (!database.inTransaction || isEngineFailure(error)) throw error;
        failures.push([results.length, serialError(error)]);
        results.push(null);
      }
      foreignEnd();
      start(context);
    }
    if (!isDeferred || definition.isPending?.() !== false) {
      if (isDeferred) beginWith(false);
      end(context);
      commit.run();
    }
    committed();
    return [results, failures];
  }

  /** The second run of a batch in which something threw: every operation on its own savepoint, still one commit. */
  function runApart(batch: Batch): readonly [unknown[], Failures] {
    const results: unknown[] = [];
    const failures: Failures = [];
    beginWith(true);
    for (let index = 0; index < batch.length; index += 2) {
      database.run('SAVEPOINT operation');
      const operationMark = mark();
      const operation = batch[index] as number;
      try {
        start(context);
        const args = batch[index + 1] as readonly unknown[];
        if (operation === STATEMENT) foreign(args[0] as string);
        const result = operation === STATEMENT ? runForeign(args) : runOperation(operation, args);
        if (operation === STATEMENT) foreignEnd();
        end(context);
        results.push(result);
      } catch (error) {
        if (!database.inTransaction) throw error;
        database.run('ROLLBACK TO operation');
        rolledBack(operationMark);
        failures.push([results.length, serialError(error)]);
        results.push(null);
      }
      database.run('RELEASE operation');
    }
    commit.run();
    committed();
    return [results, failures];
  }

  function runBatch(batch: Batch): readonly [unknown[], Failures] {
    const batchMark = mark();
    try {
      return runTogether(batch);
    } catch (error) {
      if (isEngineFailure(error)) return refuse(batch, error, batchMark);
    }
    try {
      rollback();
      rolledBack(batchMark);
      return runApart(batch);
    } catch (error) {
      return refuse(batch, error, batchMark);
    }
  }

  /** Disk full, read-only, locked by someone else: nothing of this batch happened, and each caller hears why. */
  function refuse(batch: Batch, error: unknown, batchMark: number): readonly [unknown[], Failures] {
    rolledBack(batchMark);
    try {
      rollback();
    } catch {
      // The engine reports the state of the connection with the next BEGIN.
    }
    const failure = serialError(error);
    const failures: Failures = [];
    for (let index = 0; index < batch.length / 2; index++) failures.push([index, failure]);
    return [failures.map(() => null), failures];
  }

  function control(message: Control): unknown {
    switch (message.kind) {
      case 'begin':
        leaseMark = mark();
        beginWith(true);
        start(context);
        foreign(null);
        return null;
      case 'query':
        return runStatement(statements, message.sql, message.parameters);
      case 'commit':
        commit.run();
        foreignEnd();
        committed();
        return null;
      case 'rollback':
        rollback();
        foreignEnd();
        rolledBack(leaseMark);
        return null;
      case 'close':
        statements.clear();
        kept.clear();
        begin.finalize();
        commit.finalize();
        foldLog(database);
        database.close();
        return null;
      default:
        throw new Error('the writer is already open');
    }
  }

  return { runBatch, control };
}

/** The file, the disk or a lock failed, not the operation: running it again at once would fail again. */
function isEngineFailure(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|NOMEM|PROTOCOL)/.test(
    serialError(error).code,
  );
}

/** Leaves one file behind. Not essential (the next start reads the log), so a failure must not spoil the close. */
function foldLog(database: Database): void {
  try {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Disk full or locked: the log stays and is read at the next start.
  }
}
