// The main thread's side of the writer. Operations queue while a batch commits and are sent together when it is acknowledged:
// no timer, the batch size follows the load. A transaction leases the writer for a bounded time. Everything happens in the
// order of the calls, except that operations wait for a lease that began before them.
import { StoreBusyError } from '#server/platform/store/errors.ts';
import type { RunOptions, TableGuard, Writer } from '#server/platform/store/types.ts';
import { beginLease, type Lease } from './lease.ts';
import {
  encodeBatch,
  encodeItem,
  revivedError,
  STATEMENT,
  type BatchItem,
  type BatchReply,
  type Control,
  type ControlReply,
  type Query,
  type StatementResult,
} from './protocol.ts';
import { startThread } from './thread.ts';

/** Beyond this many waiting operations new ones are refused at once instead of waiting for seconds. */
const MAXIMUM_QUEUED = 20_000;

export const TRANSACTION_LIMIT_MS = 5000;

export interface WriterThread extends Writer {
  /** A single statement as an item of the next batch. `tables`: every table it names; undefined when they are not known. */
  statement(query: Query, tables: ReadonlySet<string> | undefined): Promise<StatementResult>;
  /** Waits for the writer, begins a transaction and keeps all other writes waiting until it ends. */
  lease(limitMs?: number): Promise<Lease>;
  close(this: void): Promise<void>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  onResult: ((result: unknown) => unknown) | undefined;
}

interface PreparedLease {
  guard: TableGuard;
  /** The guard's state is in the tables. */
  isReady: Promise<void>;
}

const noGuard: TableGuard = { tables: [], async beginForeignWrite() {}, endForeignWrite() {} };

export async function startWriter(entry: URL, file: string): Promise<WriterThread> {
  const procedures = new Map<string, number>();
  let queued: Waiting[] = [];
  let queuedItems = '';
  let queuedTexts = '';
  let inFlight: Waiting[] | undefined;
  let awaitedControl: Waiting | undefined;
  let isLeased = false;
  let isFlushScheduled = false;
  let ended: Error | undefined;
  let guard = noGuard;
  /** The next lease, while the batch that must run before it is in flight. */
  let preparedLease: PreparedLease | undefined;
  const waitingLeases: ((granted: PreparedLease) => void)[] = [];

  const thread = startThread(entry, 'writer', {
    reply(text) {
      const reply = JSON.parse(text) as BatchReply | ControlReply;
      if ('results' in reply) {
        answerBatch(reply);
        // What the callers add when they are answered is sent with what has queued.
        schedule();
        return;
      }
      const waiting = awaitedControl;
      awaitedControl = undefined;
      if ('error' in reply) waiting?.reject(revivedError(reply.error));
      else waiting?.resolve(reply.value);
    },
    end(error) {
      ended = error;
      const lost = [...(inFlight ?? []), ...queued];
      if (awaitedControl !== undefined) lost.push(awaitedControl);
      awaitedControl = undefined;
      inFlight = undefined;
      queued = [];
      for (const waiting of lost) fail(waiting, error);
      for (const grant of waitingLeases.splice(0)) grant({ guard: noGuard, isReady: Promise.resolve() });
    },
  });

  function answerBatch({ results, failures }: BatchReply): void {
    const answered = inFlight ?? [];
    inFlight = undefined;
    const errors =
      failures.length === 0 ? undefined : new Map(failures.map(({ index, error }) => [index, error]));
    for (const [index, waiting] of answered.entries()) {
      const error = errors?.get(index);
      if (error !== undefined) fail(waiting, revivedError(error));
      else if (waiting.onResult === undefined) waiting.resolve(results[index]);
      else waiting.resolve(waiting.onResult(results[index]));
    }
  }

  function fail(waiting: Waiting, error: Error): void {
    waiting.onResult?.(undefined);
    waiting.reject(error);
  }

  /**
   * Sends what has queued. A lease waits for one batch: the operations that were queued when its turn came and those the
   * guard adds. Batches and leases alternate, so neither starves the other.
   */
  function next(): void {
    if (isLeased || ended !== undefined || inFlight !== undefined) return;
    if (waitingLeases.length === 0) {
      if (queued.length > 0) sendBatch();
      return;
    }
    if (preparedLease === undefined) {
      preparedLease = { guard, isReady: guard.beginForeignWrite() };
      preparedLease.isReady.catch(() => {});
      if (queued.length > 0) {
        sendBatch();
        return;
      }
    }
    isLeased = true;
    waitingLeases.shift()?.(preparedLease);
    preparedLease = undefined;
  }

  function sendBatch(): void {
    const message = encodeBatch(queuedItems, queuedTexts);
    inFlight = queued;
    queued = [];
    queuedItems = '';
    queuedTexts = '';
    thread.send(message);
  }

  /** The operations of one turn of the event loop are sent together. */
  function schedule(): void {
    if (isFlushScheduled) return;
    isFlushScheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    isFlushScheduled = false;
    next();
  }

  function enqueue<T>(item: BatchItem, onResult?: Waiting['onResult']): Promise<T> {
    const json = ended ?? (queued.length >= MAXIMUM_QUEUED ? new StoreBusyError() : jsonOf(item));
    if (json instanceof Error) {
      onResult?.(undefined);
      return Promise.reject(json);
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    queuedItems = queued.length === 0 ? json : `${queuedItems},${json}`;
    queuedTexts += item.text;
    queued.push({ resolve, reject, onResult });
    if (inFlight === undefined && !isLeased) schedule();
    return promise;
  }

  function control<T>(message: Control): Promise<T> {
    if (ended !== undefined) return Promise.reject(ended);
    return new Promise<T>((resolve, reject) => {
      awaitedControl = { resolve: (value) => resolve(value as T), reject, onResult: undefined };
      thread.send(JSON.stringify(message));
    });
  }

  function turn(): Promise<PreparedLease> {
    if (ended !== undefined) return Promise.reject(ended);
    if (waitingLeases.length >= MAXIMUM_QUEUED) return Promise.reject(new StoreBusyError());
    return new Promise((resolve) => {
      waitingLeases.push(resolve);
      next();
    });
  }

  function release(granted: PreparedLease): void {
    isLeased = false;
    granted.guard.endForeignWrite();
    next();
  }

  async function lease(limitMs = TRANSACTION_LIMIT_MS): Promise<Lease> {
    const granted = await turn();
    const end = () => release(granted);
    try {
      await granted.isReady;
    } catch (error) {
      end();
      throw error;
    }
    return await beginLease({ control, release: end }, limitMs);
  }

  const names = await control<string[]>({ kind: 'open', file });
  for (const [index, name] of names.entries()) procedures.set(name, index);

  return {
    run<T, Value>(procedure: string, argument: unknown, options: RunOptions<T, Value> = {}): Promise<Value> {
      const operation = procedures.get(procedure);
      if (operation === undefined)
        return Promise.reject(new Error(`The writer has no procedure "${procedure}".`));
      const { text = '', onResult } = options;
      return enqueue({ operation, argument, text }, onResult as Waiting['onResult']);
    },
    async guardTables(newGuard) {
      const before = guard;
      guard = newGuard;
      // Never ended: the old guard keeps no state from now on.
      await before.beginForeignWrite();
    },
    statement(query, tables) {
      const item = { operation: STATEMENT, argument: query, text: '' };
      const asked = guard;
      if (tables !== undefined && !asked.tables.some((table) => tables.has(table))) return enqueue(item);
      // Its operations join the queue before the statement; the statement fails with them if the batch does.
      asked.beginForeignWrite().catch(() => {});
      return enqueue(item, (result) => {
        asked.endForeignWrite();
        return result;
      });
    },
    lease,
    async close() {
      if (ended !== undefined) return;
      // Two turns: everything that was queued before this call commits first.
      release(await turn());
      await turn();
      await control({ kind: 'close' }).catch(() => {});
      thread.terminate();
    },
  };
}

/** Arguments that no message can carry are a fault of their caller. */
function jsonOf(item: BatchItem): string | Error {
  try {
    return encodeItem(item);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
