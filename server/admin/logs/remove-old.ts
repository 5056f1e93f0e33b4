// Deletes log rows from before a time, oldest first, in small transactions so that other writers wait only shortly. On
// PostgreSQL whole days are dropped as tables. Finished drawings of the same range are deleted too; drawings that run or
// have an open hold stay. The time is recorded with the first piece: audits expect no log row from before it.
import type { Transaction } from 'kysely';
import { removeOldestLogs } from '#server/money/ledger/log-rows.ts';
import { dropLogPartition, logPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { LogDependencies } from './dependencies.ts';

const ROWS_PER_PIECE = 1000;
/** How often a day that is being read is tried before its rows are deleted one by one. */
const DROP_TRIES = 8;
const DROP_PAUSE_MILLISECONDS = 100;

export interface Removed {
  /** Rows of the log. */
  data: number;
  tasks: number;
}

export type RemovalDependencies = Pick<LogDependencies, 'store' | 'endedTasks'>;

/** Runs `withPiece` in the transaction of each piece. The generator yields what each piece removed. */
export async function* removeLogsBefore(
  dependencies: RemovalDependencies,
  before: number,
  withPiece: (transaction: Transaction<Schema>, piece: Removed, isLast: boolean) => Promise<void>,
): AsyncGenerator<Removed> {
  const { store } = dependencies;
  let dropTries = store.dialect === 'postgres' ? DROP_TRIES : 0;
  for (let isOver = false; !isOver;) {
    try {
      const piece = await store.db.transaction().execute(async (transaction) => {
        await recordCleaning(transaction, before);
        const { isLast, ...removed } = await removePiece(dependencies, transaction, before, dropTries > 0);
        await withPiece(transaction, removed, isLast);
        return { isLast, removed };
      });
      isOver = piece.isLast;
      yield piece.removed;
    } catch (error) {
      if (dropTries === 0 || !isLockTimeout(error)) throw error;
      dropTries -= 1;
      await Bun.sleep(DROP_PAUSE_MILLISECONDS);
    }
  }
}

async function recordCleaning(transaction: Transaction<Schema>, before: number): Promise<void> {
  await transaction
    .updateTable('log_cleaning')
    .set({ cleaned_before: before })
    .where('cleaned_before', '<', before)
    .execute();
}

async function removePiece(
  { endedTasks }: RemovalDependencies,
  transaction: Transaction<Schema>,
  before: number,
  canDrop: boolean,
): Promise<Removed & { isLast: boolean }> {
  const day = canDrop ? (await logPartitions(transaction)).find(({ end }) => end <= before) : undefined;
  if (day !== undefined)
    return { data: await dropLogPartition(transaction, day.name), tasks: 0, isLast: false };
  const data = await removeOldestLogs(transaction, before, ROWS_PER_PIECE);
  if (data === ROWS_PER_PIECE) return { data, tasks: 0, isLast: false };
  const tasks = await endedTasks.removeOldest(transaction, before, ROWS_PER_PIECE);
  return { data, tasks, isLast: tasks < ROWS_PER_PIECE };
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}
