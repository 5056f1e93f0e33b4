// Opens the PostgreSQL store: reach the server, migrate under a lock, prove the master key, listen for changes.
import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolConfig } from 'pg';
import { prepareDataDirectory } from '#server/platform/store/data-directory.ts';
import { DatabaseUnreachableError, UnfinishedMoveError } from '#server/platform/store/errors.ts';
import { isMoving } from '#server/platform/store/move/progress.ts';
import { migrate } from '#server/platform/store/migrations/migrate.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { OpenOptions, PostgresStore } from '#server/platform/store/types.ts';
import { unlockVault } from '#server/platform/store/vault.ts';
import { listenForChanges } from './changes.ts';
import { makeLogPartitions } from './log-partitions.ts';
import { confirmedPool } from './confirmed.ts';
import { CONNECT_TIMEOUT_MS, numberTypes, openPool } from './pool.ts';
import { openPostgresReader } from './reader.ts';

/** Longer than any query of the product; a query beyond it is a fault, not patience. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** With the node's connections, the ledger's two and the one for changes a process takes fifteen. */
const MAXIMUM_CONNECTIONS = 10;
const MAXIMUM_NODE_CONNECTIONS = 2;
const DRAIN_LIMIT_MS = 5000;

export async function openPostgres(options: OpenOptions & { databaseUrl: string }): Promise<PostgresStore> {
  const { dataDir, databaseUrl, masterKey, onFault } = options;
  const settings: PoolConfig = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // The client's own limit, for a server that accepts a query and then says nothing.
    query_timeout: STATEMENT_TIMEOUT_MS + 2000,
    keepAlive: true,
    application_name: 'tollgate',
    options: '-c synchronous_commit=on',
    types: numberTypes,
  };
  const pool = openPool({ ...settings, max: MAXIMUM_CONNECTIONS }, onFault);
  const nodePool = openPool(
    { ...settings, max: MAXIMUM_NODE_CONNECTIONS, application_name: 'tollgate node' },
    onFault,
  );
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const confirmedDb = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: confirmedPool(pool) }) });
  try {
    await reach(pool, databaseUrl);
    prepareDataDirectory(dataDir);
    await migrateWithoutLimit(databaseUrl);
    // When the log is in use by other nodes a job makes the partitions later; rows go to the default one until then.
    await makeLogPartitions(db).catch((error: unknown) =>
      onFault(error, 'the partitions of the log could not be made; a job tries again'),
    );
    if (options.continuesMove !== true && (await isMoving(db))) throw new UnfinishedMoveError();
    const vault = await unlockVault(db, { dataDir, masterKey });
    const changes = await listenForChanges({ pool: nodePool, databaseUrl, onFault });
    let closing: Promise<void> | undefined;
    return {
      dialect: 'postgres',
      db,
      confirmedDb,
      pool,
      nodePool,
      vault,
      changes,
      async ping() {
        await nodePool.query('select 1');
      },
      openReader: () => Promise.resolve(openPostgresReader(databaseUrl)),
      backup() {
        return Promise.reject(
          new Error('A PostgreSQL database is backed up with pg_dump or the server’s own tools.'),
        );
      },
      close() {
        closing ??= (async () => {
          await drain(pool);
          await changes.close();
          await drain(nodePool);
          await nodePool.end();
          await db.destroy();
        })();
        return closing;
      },
    };
  } catch (error) {
    await db.destroy();
    await nodePool.end();
    throw error;
  }
}

/** What was asked for is answered before the pool closes, connections still being made included; but not for ever. */
async function drain(pool: Pool): Promise<void> {
  const deadline = Date.now() + DRAIN_LIMIT_MS;
  const busy = () => pool.waitingCount > 0 || pool.totalCount > pool.idleCount;
  while (busy() && Date.now() < deadline) await Bun.sleep(5);
}

/** Throws DatabaseUnreachableError, which names the server without its password. */
export async function reach(pool: Pool, databaseUrl: string): Promise<void> {
  try {
    await pool.query('select 1');
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
    throw new DatabaseUnreachableError(
      `PostgreSQL at ${withoutPassword(databaseUrl)} cannot be used: ${reason}. Check DATABASE_URL and that the server runs.`,
      { cause: error },
    );
  }
}

/** Migrations may wait for another node or rewrite a large table: they have a connection without the client's limit. */
async function migrateWithoutLimit(databaseUrl: string): Promise<void> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'tollgate migrate',
    types: numberTypes,
  });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, 'postgres');
  } finally {
    await db.destroy();
  }
}

function withoutPassword(databaseUrl: string): string {
  try {
    const url = new URL(databaseUrl);
    return `${url.host}${url.pathname}`;
  } catch {
    return 'the given address';
  }
}
