// The main thread's side of the writer. Operations queue while a batch commits and leave together when it is
// acknowledged: no timer, the batch size follows the load. Those that need no commit travel apart and wait for none but a
// running one. A transaction borrows the writer for itself, for a bounded time. Whoever decides things ahead of the writer
// (its companion) is asked for them before anything leaves that has to know of them.
import { StoreBusyError } from '#server/store/errors.ts';
import type { Writer, WriterCompanion } from '#server/store/store.ts';
import { beginLease, type Lease } from './lease.ts';
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
  hear: ((result: unknown) => unknown) | undefined;
}

/** One batch at a time is on its way; what comes meanwhile makes the next. */
interface Lane {
  queued: Waiting[];
  items: string;
  texts: string;
  /** Statements of others are among them. */
  isForeign: boolean;
  inFlight: Waiting[] | undefined;
}

const newLane = (): Lane => ({ queued: [], items: '', texts: '', isForeign: false, inFlight: undefined });

/** What was sent ahead is nobody's: it has no answer but that it was heard. */
const nobody: Waiting = { resolve() {}, reject() {}, hear: undefined };

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
  let companion: WriterCompanion | undefined;
  let foreignInFlight: Lane['inFlight'];
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
      for (const waiting of lost) refuse(waiting, error);
      for (const grant of waitingLeases.splice(0)) grant();
    },
  });

  function settleBatch([results, failures]: BatchReply): void {
    const lane = inFlight.shift();
    const settled = lane?.inFlight ?? [];
    if (lane !== undefined) lane.inFlight = undefined;
    const failedAt = failures.length === 0 ? undefined : new Map(failures);
    for (let index = 0; index < settled.length; index++) {
      const waiting = settled[index] as Waiting;
      const failure = failedAt?.get(index);
      if (failure !== undefined) refuse(waiting, revivedError(failure));
      else waiting.resolve(waiting.hear === undefined ? results[index] : waiting.hear(results[index]));
    }
    if (foreignInFlight !== settled) return;
    foreignInFlight = undefined;
    companion?.foreign(false);
  }

  function refuse(waiting: Waiting, error: Error): void {
    waiting.hear?.(undefined);
    waiting.reject(error);
  }

  /** Batches and transactions take turns, so neither can starve the other. */
  function next(): void {
    if (leased || ended !== undefined) return;
    const isIdle = lightLane.queued.length + commitLane.queued.length === 0;
    if (waitingLeases.length > 0 && (leaseTurn || isIdle)) {
      if (inFlight.length > 0) return;
      leaseTurn = false;
      leased = true;
      sendAhead();
      companion?.foreign(true);
      waitingLeases.shift()?.();
      return;
    }
    leaseTurn = true;
    if (commitLane.inFlight !== undefined) return;
    if (lightLane.inFlight === undefined && lightLane.queued.length > 0) {
      sendAhead();
      sendLane(lightLane);
    }
    if (commitLane.queued.length === 0) return;
    const { isForeign } = commitLane;
    if (isForeign) sendAhead();
    sendLane(commitLane);
    companion?.batchSent();
    if (!isForeign) return;
    foreignInFlight = commitLane.inFlight;
    companion?.foreign(true);
  }

  function sendLane(lane: Lane): void {
    const message = batchMessage(lane.items, lane.texts);
    lane.inFlight = lane.queued;
    lane.queued = [];
    lane.items = '';
    lane.texts = '';
    lane.isForeign = false;
    inFlight.push(lane);
    thread.send(message);
  }

  /** Past the lanes: the thread takes messages in the order in which they were sent. */
  function sendAhead(): void {
    const ahead = ended === undefined ? companion?.takeAhead() : undefined;
    if (ahead === undefined) return;
    const operation = procedures.get(ahead.procedure);
    if (operation === undefined) throw unknownProcedure(ahead.procedure);
    const lane = newLane();
    lane.items = operationItem(operation, ahead.args, undefined);
    lane.queued = [nobody];
    sendLane(lane);
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

  function enqueue<T>(
    operation: number,
    args: readonly unknown[],
    text?: string,
    hear?: (result: never) => unknown,
  ): Promise<T> {
    const lane = light.has(operation) ? lightLane : commitLane;
    const { queued } = lane;
    if (ended !== undefined) return refused(ended, hear);
    if (queued.length >= maximumQueued) return refused(new StoreBusyError(), hear);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const item = itemOf(operation, args, text);
    if (item instanceof Error) return refused(item, hear);
    lane.items = queued.length === 0 ? item : `${lane.items},${item}`;
    if (text !== undefined) lane.texts += text;
    if (operation === STATEMENT) lane.isForeign = true;
    queued.push({ resolve, reject, hear: hear as Waiting['hear'] });
    if (lane.inFlight === undefined && !leased) schedule();
    return promise;
  }

  function refused(error: Error, hear: ((result: never) => unknown) | undefined): Promise<never> {
    hear?.(undefined as never);
    return Promise.reject(error);
  }

  function control<T>(message: Control): Promise<T> {
    if (ended !== undefined) return Promise.reject(ended);
    return new Promise<T>((resolve, reject) => {
      awaitedControl = { resolve: (value) => resolve(value as T), reject, hear: undefined };
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
    companion?.foreign(false);
    next();
  }

  async function lease(limitMs = transactionLimitMs): Promise<Lease> {
    await turn();
    return await beginLease({ control, release }, limitMs);
  }

  for (const [index, [name, isLight]] of (
    await control<[string, boolean][]>({ kind: 'open', file })
  ).entries()) {
    procedures.set(name, index);
    if (isLight) light.add(index);
  }

  return {
    run<T>(
      procedure: string,
      args: readonly unknown[],
      text?: string,
      hear?: (result: never) => unknown,
    ): Promise<T> {
      const operation = procedures.get(procedure);
      if (operation === undefined) return Promise.reject(unknownProcedure(procedure));
      return enqueue(operation, args, text, hear);
    },
    accompany(newcomer) {
      sendAhead();
      companion?.foreign(true);
      companion = newcomer;
    },
    sendAhead,
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

/** Arguments that no message can carry are their caller's fault. */
function itemOf(operation: number, args: readonly unknown[], text: string | undefined): string | Error {
  try {
    return operationItem(operation, args, text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const unknownProcedure = (name: string) => new Error(`The writer has no procedure "${name}".`);

function isControlReply(reply: BatchReply | ControlReply): reply is ControlReply {
  return !Array.isArray(reply);
}
