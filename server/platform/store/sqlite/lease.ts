// The exclusive use of the writer: everything on it happens in one transaction, for a bounded time.
import { StoreClosedError, TransactionTimeoutError } from '#server/platform/store/errors.ts';
import type { Control, StatementResult } from './protocol.ts';

export interface Lease {
  query(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** What a lease needs of the writer. */
export interface LeasedWriter {
  control<T>(this: void, message: Control): Promise<T>;
  release(this: void): void;
}

export async function beginLease({ control, release }: LeasedWriter, limitMs: number): Promise<Lease> {
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
    over = new StoreClosedError('The transaction is over.');
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
    // The transaction of an overdue lease is rolled back already; a query or the commit has failed with that error.
    rollback: () => (over === undefined ? end({ kind: 'rollback' }) : Promise.resolve()),
  };
}
