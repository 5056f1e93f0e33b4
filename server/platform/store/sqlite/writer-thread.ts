// The writer thread: one connection, group commit. A batch is BEGIN IMMEDIATE, every operation, COMMIT, one answer; the
// answer is sent after the commit is durable. An operation that throws does not fail the others: the batch is rolled back and
// run again with each operation on its own savepoint.
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { isUnavailable } from '#server/platform/store/errors.ts';
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
  type BatchFailure,
  type BatchItem,
  type BatchReply,
  type Control,
  type Query,
  type SerialError,
} from './protocol.ts';
import { serveThread } from './thread.ts';

export interface WriterContext {
  readonly database: Database;
  /** The prepared statement of this text, prepared once. Hot procedures may keep it for the life of the context. */
  statement(sql: string): Statement<unknown, SQLQueryBindings[]>;
}

/**
 * Synchronous, inside the batch's transaction. Argument and result are JSON values. A refusal (not enough quota) is a
 * returned value; throwing is for faults, costs the whole batch a second run, and undoes only this procedure.
 */
export type Procedure = (context: WriterContext, argument: unknown, text: string) => unknown;

export interface WriterDefinition {
  procedures: Readonly<Record<string, Procedure>>;
  /**
   * Names of procedures whose effect may be lost in a power cut (never at kill -9) until a later batch is synced: no caller
   * was answered with anything that depends on it. A batch of these alone commits without waiting for the disk.
   */
  unsynced?: readonly string[];
  /** A batch begins, one of its operations runs again alone after a failure, or a statement of other code has ended. */
  onBatchStart?: (context: WriterContext) => void;
  /** Before COMMIT and before a statement of other code: write cached rows. May throw. */
  onBatchEnd?: (context: WriterContext) => void;
}

/** Called by the writer's entry module; from then on this thread belongs to the store. */
export function runWriter(definition: WriterDefinition): void {
  let writer: ReturnType<typeof createWriter> | undefined;
  serveThread((text) => {
    const message = readMessage(text);
    // The main thread sends batches only after `open` was answered.
    if (isBatch(message))
      return batchReply(message, writer?.runBatch(message) ?? { results: [], failures: [] });
    try {
      if (message.kind === 'open') {
        writer = createWriter(openWritable(message.file), definition);
        return JSON.stringify({ value: Object.keys(definition.procedures) });
      }
      return JSON.stringify({ value: writer?.control(message) ?? null });
    } catch (error) {
      return JSON.stringify({ error: serialError(error) });
    }
  });
}

/** A result that JSON cannot carry is a fault of its procedure; the callers get an error instead of no answer. */
function batchReply(batch: Batch, reply: BatchReply): string {
  try {
    return JSON.stringify(reply);
  } catch (error) {
    const message = `committed, but a result cannot be sent: ${serialError(error).message}`;
    return JSON.stringify(allFailed(batch, { message, code: 'ERROR' }));
  }
}

function allFailed(batch: Batch, error: SerialError): BatchReply {
  return { results: batch.map(() => null), failures: batch.map((_, index) => ({ index, error })) };
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
  const unsynced = new Set(definition.unsynced?.map((name) => names.indexOf(name)));
  let isSyncing = true;
  const nothing = (): void => {};
  const start = definition.onBatchStart ?? nothing;
  const end = definition.onBatchEnd ?? nothing;

  /** Outside a transaction only. The next sync covers every commit before it: the log is one file, written in order. */
  function beginWith(needsSync: boolean): void {
    if (needsSync !== isSyncing) {
      database.run(needsSync ? SYNC_EACH_COMMIT : SYNC_LATER);
      isSyncing = needsSync;
    }
    begin.run();
  }

  function rollback(): void {
    // SQLITE_FULL and SQLITE_IOERR have already rolled back; a second ROLLBACK would hide the first error.
    if (database.inTransaction) database.run('ROLLBACK');
  }

  function runOperation({ operation, argument, text }: BatchItem): unknown {
    const procedure = procedures[operation];
    if (procedure === undefined) throw new Error(`unknown procedure ${operation}`);
    return procedure(context, argument, text);
  }

  function runForeign({ argument }: BatchItem): unknown {
    const { sql, parameters } = argument as Query;
    return runStatement(statements, sql, parameters);
  }

  function runTogether(batch: Batch): BatchReply {
    const results: unknown[] = [];
    const failures: BatchFailure[] = [];
    beginWith(batch.some(({ operation }) => !unsynced.has(operation)));
    start(context);
    for (const item of batch) {
      if (item.operation !== STATEMENT) {
        results.push(runOperation(item));
        continue;
      }
      end(context);
      try {
        results.push(runForeign(item));
      } catch (error) {
        // A failed statement undoes only itself, unless the engine gave up the transaction.
        if (!database.inTransaction || isUnavailable(error)) throw error;
        failures.push({ index: results.length, error: serialError(error) });
        results.push(null);
      }
      start(context);
    }
    end(context);
    commit.run();
    return { results, failures };
  }

  /** The second run of a batch in which something threw: every operation on its own savepoint, still one commit. */
  function runApart(batch: Batch): BatchReply {
    const results: unknown[] = [];
    const failures: BatchFailure[] = [];
    beginWith(true);
    for (const item of batch) {
      database.run('SAVEPOINT operation');
      try {
        start(context);
        const result = item.operation === STATEMENT ? runForeign(item) : runOperation(item);
        if (item.operation !== STATEMENT) end(context);
        results.push(result);
      } catch (error) {
        if (!database.inTransaction) throw error;
        database.run('ROLLBACK TO operation');
        failures.push({ index: results.length, error: serialError(error) });
        results.push(null);
      }
      database.run('RELEASE operation');
    }
    commit.run();
    return { results, failures };
  }

  function runBatch(batch: Batch): BatchReply {
    try {
      return runTogether(batch);
    } catch (error) {
      // The file, the disk or a lock failed, not an operation: running it again at once would fail again.
      if (isUnavailable(error)) return refuse(batch, error);
    }
    try {
      rollback();
      return runApart(batch);
    } catch (error) {
      return refuse(batch, error);
    }
  }

  /** Disk full, read-only, locked by another process: nothing of this batch happened, and each caller gets the reason. */
  function refuse(batch: Batch, error: unknown): BatchReply {
    try {
      rollback();
    } catch {
      // The engine reports the state of the connection with the next BEGIN.
    }
    return allFailed(batch, serialError(error));
  }

  function control(message: Control): unknown {
    switch (message.kind) {
      case 'begin':
        beginWith(true);
        return null;
      case 'query':
        return runStatement(statements, message.sql, message.parameters);
      case 'commit':
        commit.run();
        return null;
      case 'rollback':
        rollback();
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

/** Leaves one file behind. Not essential (the next start reads the log), so a failure must not spoil the close. */
function foldLog(database: Database): void {
  try {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Disk full or locked: the log stays and is read at the next start.
  }
}
