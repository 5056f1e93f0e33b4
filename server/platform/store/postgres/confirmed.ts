// Transactions whose commit must be on the standby too. When a commit waits for a synchronous standby longer than the time
// limit, or the wait is cancelled, PostgreSQL answers with success and a warning: only its own disk has the change, and a
// failover loses it. Here such a commit is an error.
import type { PostgresPool } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { CommitNotConfirmedError } from '#server/platform/store/errors.ts';

/** The function of the server that waits for standbys; the text of its warning depends on the server's language. */
const WAITING_ROUTINE = 'SyncRepWaitForLSN';

/** The same connections; the pool is closed by its owner. */
export function confirmedPool(pool: Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      return {
        query: ((text: string, parameters: unknown[]) =>
          queryConfirmed(client, text, parameters)) as PoolClient['query'],
        release: () => client.release(),
      };
    },
    end: () => Promise.resolve(),
  };
}

async function queryConfirmed(client: PoolClient, text: string, parameters: unknown[]) {
  let isConfirmed = true;
  const onNotice = ({ routine }: { routine?: string | undefined }) => {
    if (routine === WAITING_ROUTINE) isConfirmed = false;
  };
  client.on('notice', onNotice);
  try {
    const result = await client.query(text, parameters);
    if (!isConfirmed) throw new CommitNotConfirmedError();
    return result;
  } finally {
    client.off('notice', onNotice);
  }
}
