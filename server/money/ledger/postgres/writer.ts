// Group commit. One connection writes: a batch takes what queued while the last one ran. It does not wait for the disk (its row
// locks end at once); a second connection syncs all finished batches, and only then are operations answered whose effect must
// not be lost.
import type { ClientConfig } from 'pg';
import type { Operation, ResultOf } from '#server/money/ledger/engine/operations.ts';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import { runBatch } from './batch.ts';
import type { BatchRules } from './loaded.ts';
import { openLink } from './connection.ts';
import { isAwayError, isConflict, OperationFault, withoutConflict } from './errors.ts';
import { KnownRows } from './known.ts';
import type { Identity } from './loaded.ts';
import { typesText } from './write.ts';

const LARGEST_BATCH = 400;
const MAXIMUM_QUEUED = 20_000;
/** A plan made while a table was small is not kept for long. */
const PLANS_LIVE_MS = 60_000;

export interface Pending {
  operation: Operation;
  resolve(this: void, value: unknown): void;
  reject(this: void, error: unknown): void;
}

export interface WriterOptions {
  connection: ClientConfig;
  identity: Identity;
  /** As they are when a batch begins. */
  rules: () => BatchRules;
  /** The server is gone; the outcome of these operations is not known. */
  onAway: (error: unknown, sent: readonly Pending[]) => void;
}

export interface Writer {
  submit<Op extends Operation>(operation: Op): Promise<ResultOf<Op>>;
  /** Sends nothing until `resume`; returns the queued operations. */
  stop(): Pending[];
  resume(): void;
  readonly isBusy: boolean;
  close(): Promise<void>;
}

/** A synced commit makes all earlier ones durable, so the smallest will do; a transaction without a record is not synced. */
export const SYNC_STATEMENT = {
  name: 'ledger-sync',
  text: `select pg_logical_emit_message(true, 'tollgate', '')`,
};

/**
 * The statements are few and find rows by key: a plan is made once and never scans a table or joins in another order than that
 * of the keys, independent of the statistics at that time.
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

export function openWriter({ connection, identity, rules, onAway }: WriterOptions): Writer {
  const known = new KnownRows(identity.nodeId);
  // Kept open through hours without a call: keep-alive packets stop firewalls from dropping the connection.
  const session = { ...connection, options: sessionOptions, keepAliveInitialDelayMillis: 10_000 };
  const writing = openLink(session, (client) => {
    known.forgetAll();
    return client.query(typesText);
  });
  const syncing = openLink(session);
  let queue: Pending[] = [];
  let unsynced: { item: Pending; result: unknown }[] = [];
  let plannedAt = Date.now();
  let isStopped = false;
  let isCommitting = false;
  let isSyncing = false;

  function pump(): void {
    if (isStopped || isCommitting || queue.length === 0) return;
    const items = queue.length <= LARGEST_BATCH ? queue : queue.slice(0, LARGEST_BATCH);
    queue = items === queue ? [] : queue.slice(LARGEST_BATCH);
    isCommitting = true;
    void commit(items).finally(() => {
      isCommitting = false;
      pump();
    });
  }

  /** Never rejects: every operation gets its own answer. */
  async function commit(items: readonly Pending[]): Promise<void> {
    try {
      // A single operation that no other waits behind: one synced commit is the shortest way.
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
      } else if (isConflict(error)) {
        // Other transactions won every time: it is tried again after a pause, from the spool.
        onAway(error, items);
      } else {
        for (const item of items) item.reject(error);
      }
    }
  }

  function write(items: readonly Pending[], isSynced: boolean): Promise<unknown[]> {
    const circumstances = { identity, ...rules(), isSynced };
    return withoutConflict(() =>
      writing.run(async (client) => {
        if (Date.now() - plannedAt > PLANS_LIVE_MS) {
          await client.query('discard plans');
          plannedAt = Date.now();
        }
        const operations = items.map(({ operation }) => operation);
        return runBatch(client, known, operations, circumstances);
      }),
    );
  }

  /** Never rejects. Batches that finish during a sync are synced by the next one. */
  async function sync(): Promise<void> {
    isSyncing = true;
    while (unsynced.length > 0) {
      const done = unsynced;
      unsynced = [];
      try {
        await syncing.run((client) => client.query(SYNC_STATEMENT));
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
    submit<Op extends Operation>(operation: Op): Promise<ResultOf<Op>> {
      return new Promise((resolve, reject) => {
        if (queue.length >= MAXIMUM_QUEUED && !endsCall(operation)) {
          reject(new LedgerUnavailableError('too many operations wait for the database'));
          return;
        }
        queue.push({ operation, resolve, reject });
        // The operations of one turn of the event loop are sent together.
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
      return isCommitting || isSyncing || queue.length > 0;
    },
    async close() {
      await writing.close();
      await syncing.close();
    },
  };
}

/**
 * If the server crashes before the next synced commit the hold is lost, and the call is charged from the free balance when it
 * ends. The hold of a task is the only trace of it after a restart, so it is synced.
 */
function isHarmlessIfLost({ operation }: Pending): boolean {
  const { kind } = operation;
  return (
    kind === 'extend' ||
    kind === 'writeHold' ||
    (operation.kind === 'reserve' && operation.lifetime === 'call')
  );
}

/** Never refused for a long queue: the calls that run bound their number. */
function endsCall({ kind }: Operation): boolean {
  return kind === 'settle' || kind === 'release';
}
