// Group commit. One connection writes: a batch takes whatever queued while the last one ran. It does not wait for the disk
// (its rows are free for others at once); a second connection does, for all batches that are done, and only then those
// hear of it whose effect must not be lost.
import type { ClientConfig } from 'pg';
import type { LowBalanceMail } from '#server/billing/engine/rows.ts';
import { LedgerUnavailableError } from '#server/billing/ledger.ts';
import { runBatch, type Operation } from './batch.ts';
import { openLink } from './connection.ts';
import { isAwayError, OperationFault, withoutConflict } from './errors.ts';
import { KnownRows } from './known.ts';
import type { Identity } from './rows.ts';

const largestBatch = 400;
const maximumQueued = 20_000;
/** A plan made while a table was small is not kept for long. */
const plansLiveMs = 60_000;

export interface Pending extends Operation {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface WriterOptions {
  connection: ClientConfig;
  identity: Identity;
  lowBalanceMail: () => LowBalanceMail;
  /** The server is gone, and what became of these is not known. */
  onAway: (error: unknown, sent: readonly Pending[]) => void;
}

export interface Writer {
  submit(operation: Operation): Promise<unknown>;
  /** Sends nothing until `resume`; returns what waited. */
  stop(): Pending[];
  resume(): void;
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/**
 * Every commit that is waited for takes all earlier ones to the disk with it, so the smallest one will do; without a
 * record of its own a transaction would not be waited for at all.
 */
const syncStatement = { name: 'ledger-sync', text: `select pg_logical_emit_message(true, 'tollgate', '')` };

/**
 * The statements are few and touch rows by key: a plan is made once, and never one that reads a table through or joins in
 * another order than that of the keys, whatever the statistics were on the day the plan was made.
 */
const sessionOptions = [
  'synchronous_commit=on',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
]
  .map((option) => `-c ${option}`)
  .join(' ');

export function openWriter({ connection, identity, lowBalanceMail, onAway }: WriterOptions): Writer {
  const known = new KnownRows(identity.nodeId);
  // Kept for ever, also through hours without a call: something must tell the boxes on the way that it is in use.
  const session = { ...connection, options: sessionOptions, keepAliveInitialDelayMillis: 10_000 };
  const writing = openLink(session, () => known.forgetAll());
  const syncing = openLink(session);
  let queue: Pending[] = [];
  let unsynced: { item: Pending; result: unknown }[] = [];
  let plannedAt = Date.now();
  let isStopped = false;
  let isCommitting = false;
  let isSyncing = false;

  function pump(): void {
    if (isStopped || isCommitting || queue.length === 0) return;
    const items = queue.length <= largestBatch ? queue : queue.slice(0, largestBatch);
    queue = items === queue ? [] : queue.slice(largestBatch);
    isCommitting = true;
    void commit(items).finally(() => {
      isCommitting = false;
      pump();
    });
  }

  /** Never rejects: every operation hears its own end. */
  async function commit(items: readonly Pending[]): Promise<void> {
    try {
      // Alone and with nobody to keep waiting, one round trip to the disk is the shortest way.
      const isSynced = items.length === 1 && !isSyncing && !items.every(isHarmlessIfLost);
      const results = await write(items, isSynced);
      for (const [index, item] of items.entries()) {
        if (isSynced || isHarmlessIfLost(item)) item.resolve(results[index]);
        else unsynced.push({ item, result: results[index] });
      }
      if (unsynced.length > 0 && !isSyncing) void sync();
    } catch (error) {
      if (error instanceof OperationFault) {
        items[error.index]?.reject(error.cause);
        const others = items.filter((_, index) => index !== error.index);
        if (others.length > 0) await commit(others);
      } else if (isAwayError(error)) {
        onAway(error, items);
      } else if (items.length > 1) {
        // The database refused the batch as a whole; alone, only the operation at fault is refused.
        for (const item of items) await commit([item]);
      } else {
        for (const item of items) item.reject(error);
      }
    }
  }

  function write(items: readonly Pending[], isSynced: boolean): Promise<unknown[]> {
    const circumstances = { identity, lowBalanceMail: lowBalanceMail(), isSynced };
    return withoutConflict(() =>
      writing.run(async (client) => {
        if (Date.now() - plannedAt > plansLiveMs) {
          await client.query('discard plans');
          plannedAt = Date.now();
        }
        return runBatch(client, known, items, circumstances);
      }),
    );
  }

  /** Never rejects either. What comes while the disk works is for the next round. */
  async function sync(): Promise<void> {
    isSyncing = true;
    while (unsynced.length > 0) {
      const done = unsynced;
      unsynced = [];
      try {
        await syncing.run((client) => client.query(syncStatement));
        for (const { item, result } of done) item.resolve(result);
      } catch (error) {
        const items = done.map(({ item }) => item);
        if (isAwayError(error)) onAway(error, items);
        else for (const item of items) item.reject(error);
      }
    }
    isSyncing = false;
  }

  return {
    submit(operation) {
      return new Promise((resolve, reject) => {
        if (queue.length >= maximumQueued) {
          reject(new LedgerUnavailableError('too many operations wait for the database'));
          return;
        }
        queue.push({ name: operation.name, args: operation.args, resolve, reject });
        // The operations of one turn of the event loop leave together.
        if (queue.length === 1 && !isCommitting) queueMicrotask(pump);
      });
    },
    stop() {
      isStopped = true;
      const waiting = queue;
      queue = [];
      return waiting;
    },
    resume() {
      isStopped = false;
      pump();
    },
    get isBusy() {
      return !isStopped && (isCommitting || isSyncing || queue.length > 0);
    },
    async close() {
      await writing.close();
      await syncing.close();
    },
  };
}

/**
 * A young hold: should the server crash before the next commit that is waited for, the call is charged all the same when
 * it ends, from what is free then. A task's hold is all that is left of it after a restart.
 */
function isHarmlessIfLost({ name, args }: Operation): boolean {
  return (name === 'reserve' && args[7] !== 'task') || name === 'extend';
}
