// One connection for one piece of work, with an end: a server that breaks off or says nothing costs two seconds, never more.
import type { Pool, PoolClient } from 'pg';
import { LedgerUnavailableError } from '#server/billing/ledger.ts';
import { isUnavailable } from '#server/store/errors.ts';
import { OperationFault } from './batch.ts';

/** A batch takes milliseconds; a server that needs this long is as good as away. */
const timeoutMs = 2000;

/** A connection that failed or did not answer in time is thrown away, and its transaction with it. */
export async function runOnConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connectInTime(pool);
  // A lost connection is heard from the query that ran on it; without a listener its event would end the process.
  client.on('error', ignore);
  const running = work(client);
  try {
    const result = await inTime(running);
    client.off('error', ignore);
    client.release();
    return result;
  } catch (error) {
    running.catch(ignore);
    const isUsable = !isAwayError(error) && (await undo(client));
    if (isUsable) client.off('error', ignore);
    client.release(!isUsable);
    throw error;
  }
}

async function undo(client: PoolClient): Promise<boolean> {
  return inTime(client.query('rollback')).then(
    () => true,
    () => false,
  );
}

async function connectInTime(pool: Pool): Promise<PoolClient> {
  const connecting = pool.connect();
  try {
    return await inTime(connecting);
  } catch (error) {
    // Should it connect after all, nobody needs it any more.
    connecting.then((client) => client.release(), ignore);
    throw error;
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new LedgerUnavailableError('the database did not answer in time')),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function ignore(): void {}

/** The server is away, or the connection to it: the outcome of what was sent is not known. */
export function isAwayError(error: unknown): boolean {
  if (error instanceof OperationFault) return false;
  if (error instanceof LedgerUnavailableError || isUnavailable(error)) return true;
  return (
    error instanceof Error &&
    /not queryable|terminated|connection.*(closed|lost|ended)|calling end on the pool/i.test(error.message)
  );
}

/** Serialisation failure or deadlock: the server undid everything, the same batch may run again. */
export function isConflict(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === '40001' || code === '40P01';
}
