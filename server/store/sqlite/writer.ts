// The main thread's side of the writer. Operations queue while a batch commits and leave together when it is
// acknowledged: no timer, the batch size follows the load. Those that need no commit travel apart and wait for none but a
// running one. A transaction borrows the writer for itself, for a bounded time.
import { StoreBusyError, StoreClosedError, TransactionTimeoutError } from '#server/store/errors.ts';
import type { Writer } from '#server/store/store.ts';
import {
  batchMessage,
  operationItem,
  revivedError,
  STATEMENT,
  type BatchReply,
  type Control,
  type ControlReply,
  type StatementResult,
} from './protocol.ts';
import { startThread } from './thread.ts';

/** Beyond this many waiting operations new ones are refused at once instead of waiting for seconds. */
const maximumQueued = 20_000;

export const transactionLimitMs = 5000;

/** The exclusive use of the writer: everything on it happens in one transaction. */
export interface Lease {
  query(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface WriterThread extends Writer {
  /** A single statement as an item of the next batch. */
  statement(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
  /** Waits for the writer, begins a transaction and keeps all other writes waiting until it ends. */
  lease(limitMs?: number): Promise<Lease>;
  close(this: void): Promise<void>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** One batch at a time is on its way; what comes meanwhile makes the next. */
interface Lane {
  queued: Waiting[];
  items: string;
  texts: string;
  inFlight: Waiting[] | undefined;
}

const newLane = (): Lane => ({ queued: [], items: '', texts: '', inFlight: undefined });

export async function startWriter(entry: URL, file: string): Promise<WriterThread> {
  const procedures = new Map<string, number>();
  /** Numbers of procedures that write nothing themselves. */
  const light = new Set<number>();
  const lightLane = newLane();
  const commitLane = newLane();
  const lanes = [lightLane, commitLane];
  /** In the order in which they will be answered. */
  const inFlight: Lane[] = [];
  let awaitedControl: Waiting | undefined;
  let leased = false;
  let flushScheduled = false;
  let leaseTurn = false;
  let ended: Error | undefined;
  const waitingLeases: (() => void)[] = [];

  const thread = startThread(entry, 'writer', {
    reply(text) {
      const reply = JSON.parse(text) as BatchReply | ControlReply;
      if (isControlReply(reply)) {
        const waiting = awaitedControl;
        awaitedControl = undefined;
        if ('error' in reply) waiting?.reject(revivedError(reply.error));
        else waiting?.resolve(reply.value);
        return;
      }
      settleBatch(reply);
      // Those who were answered may have something to add, and what arrives with them leaves with them.
      schedule();
    },
    end(error) {
      ended = error;
      const lost = lanes.flatMap((lane) => [...(lane.inFlight ?? []), ...lane.queued]);
      if (awaitedControl !== undefined) lost.push(awaitedControl);
      awaitedControl = undefined;
      for (const lane of lanes) Object.assign(lane, newLane());
      inFlight.length = 0;
      for (const waiting of lost) waiting.reject(error);
      for (const grant of waitingLeases.splice(0)) grant();
    },
  });

  function settleBatch([results, failures]: BatchReply): void {
    const lane = inFlight.shift();
    const settled = lane?.inFlight ?? [];
    if (lane !== undefined) lane.inFlight = undefined;
    if (failures.length === 0) {
      for (let index = 0; index < settled.length; index++) settled[index]?.resolve(results[index]);
      return;
    }
    const failedAt = new Map(failures);
    for (let index = 0; index < settled.length; index++) {
      const failure = failedAt.get(index);
      if (failure === undefined) settled[index]?.resolve(results[index]);
      else settled[index]?.reject(revivedError(failure));
    }
  }

  /** Batches and transactions take turns, so neither can starve the other. */
  function next(): void {
    if (leased || ended !== undefined) return;
    const isIdle = lightLane.queued.length + commitLane.queued.length === 0;
    if (waitingLeases.length > 0 && (leaseTurn || isIdle)) {
      if (inFlight.length > 0) return;
      leaseTurn = false;
      leased = true;
      waitingLeases.shift()?.();
      return;
    }
    leaseTurn = true;
    if (commitLane.inFlight !== undefined) return;
    sendLane(lightLane);
    sendLane(commitLane);
  }

  function sendLane(lane: Lane): void {
    if (lane.inFlight !== undefined || lane.queued.length === 0) return;
    const message = batchMessage(lane.items, lane.texts);
    lane.inFlight = lane.queued;
    lane.queued = [];
    lane.items = '';
    lane.texts = '';
    inFlight.push(lane);
    thread.send(message);
  }

  /** The operations of one turn of the event loop leave together. */
  function schedule(): void {
    if (flushScheduled) return;
    flushScheduled = true;
    setImmediate(flush);
  }

  function flush(): void {
    flushScheduled = false;
    next();
  }

  function enqueue<T>(operation: number, args: readonly unknown[], text?: string): Promise<T> {
    if (ended !== undefined) return Promise.reject(ended);
    const lane = light.has(operation) ? lightLane : commitLane;
    const { queued } = lane;
    if (queued.length >= maximumQueued) return Promise.reject(new StoreBusyError());
    return new Promise<T>((resolve, reject) => {
      const item = operationItem(operation, args, text);
      lane.items = queued.length === 0 ? item : `${lane.items},${item}`;
      if (text !== undefined) lane.texts += text;
      queued.push({ resolve, reject });
      if (lane.inFlight === undefined && !leased) schedule();
    });
  }

  function control<T>(message: Control): Promise<T> {
    if (ended !== undefined) return Promise.reject(ended);
    return new Promise<T>((resolve, reject) => {
      awaitedControl = { resolve: (value) => resolve(value as T), reject };
      thread.send(JSON.stringify(message));
    });
  }

  function turn(): Promise<void> {
    if (ended !== undefined) return Promise.reject(ended);
    if (waitingLeases.length >= maximumQueued) return Promise.reject(new StoreBusyError());
    return new Promise((resolve) => {
      waitingLeases.push(resolve);
      next();
    });
  }

  function release(): void {
    leased = false;
    next();
  }

  async function lease(limitMs = transactionLimitMs): Promise<Lease> {
    await turn();
    try {
      await control({ kind: 'begin' });
    } catch (error) {
      release();
      throw error;
    }
    let over: Error | undefined;
    // One message at a time: a query that still runs is answered before the rollback of an overdue transaction leaves.
    let last: Promise<unknown> = Promise.resolve();
    const inOrder = <T>(message: Control): Promise<T> => {
      const answer = last.then(() => control<T>(message));
      last = answer.catch(() => {});
      return answer;
    };
    const overdue = setTimeout(() => {
      if (over !== undefined) return;
      over = new TransactionTimeoutError(limitMs);
      inOrder({ kind: 'rollback' }).then(release, release);
    }, limitMs);
    const end = async (message: Control): Promise<void> => {
      over = new StoreClosedError('The transaction has over.');
      clearTimeout(overdue);
      try {
        await inOrder(message);
      } catch (error) {
        if (message.kind === 'commit') await inOrder({ kind: 'rollback' }).catch(() => {});
        throw error;
      } finally {
        release();
      }
    };
    return {
      query: (sql, parameters) =>
        over === undefined ? inOrder({ kind: 'query', sql, parameters }) : Promise.reject(over),
      commit: () => (over === undefined ? end({ kind: 'commit' }) : Promise.reject(over)),
      // The transaction of an overdue lease is gone already; its owner heard of it from the query or the commit.
      rollback: () => (over === undefined ? end({ kind: 'rollback' }) : Promise.resolve()),
    };
  }

  for (const [index, [name, isLight]] of (
    await control<[string, boolean][]>({ kind: 'open', file })
  ).entries()) {
    procedures.set(name, index);
    if (isLight) light.add(index);
  }

  return {
    run(procedure, args, text) {
      const operation = procedures.get(procedure);
      if (operation === undefined)
        return Promise.reject(new Error(`The writer has no procedure "${procedure}".`));
      return enqueue(operation, args, text);
    },
    statement: (sql, parameters) => enqueue(STATEMENT, [sql, parameters]),
    lease,
    async close() {
      if (ended !== undefined) return;
      // Taking the writer's turn twice lets everything that was queued before this call commit first.
      await turn();
      release();
      await turn();
      await control({ kind: 'close' }).catch(() => {});
      thread.terminate();
    },
  };
}

function isControlReply(reply: BatchReply | ControlReply): reply is ControlReply {
  return !Array.isArray(reply);
}
