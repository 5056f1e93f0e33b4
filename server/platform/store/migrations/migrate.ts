// Brings a database to the current schema. Each migration and its record commit together, so one that is killed half
// way has not happened; on PostgreSQL a lock makes simultaneous starts wait for each other. Other nodes serve calls
// meanwhile: a migration that has to wait for a table gives up after a moment and tries again, because every call that needs
// the table queues behind the one that waits.
import { sql, type Kysely } from 'kysely';
import { DatabaseVersionError } from '#server/platform/store/errors.ts';
import { LOCKS } from '#server/platform/store/locks.ts';
import { migrations as currentMigrations } from './index.ts';
import { LOCK_TIMEOUT_MS, type DialectName, type Migration, type MigrationDatabase } from './migration.ts';

const LOCK_PAUSE_MS = 200;

const USUAL_RETRY: LockRetry = { pauseMs: 2000, tries: 150 };

interface LockRetry {
  /** Between two tries, for the calls that queued. */
  pauseMs: number;
  tries: number;
}

export interface MigrateOptions {
  migrations?: readonly Migration[];
  now?: () => number;
  retry?: LockRetry;
}

/** Returns the names of the migrations that ran. */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  dialect: DialectName,
  options: MigrateOptions = {},
): Promise<string[]> {
  const untyped = db as unknown as MigrationDatabase;
  return await untyped.connection().execute(async (connection) => {
    if (dialect === 'sqlite') return await runMissing(connection, dialect, options);
    // Waiting for another node, or rewriting a large table, may take longer than a request may.
    await sql`set statement_timeout = 0`.execute(connection);
    await lockForMigrating(connection);
    try {
      return await runMissing(connection, dialect, options);
    } finally {
      await sql`select pg_advisory_unlock(${LOCKS.migrations})`.execute(connection);
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}

/**
 * Asks again and again: a statement that waits for the lock is a running transaction, for which an index that another node
 * builds online would wait, and both for ever.
 */
async function lockForMigrating(connection: MigrationDatabase): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isLocked: boolean }>`
      select pg_try_advisory_lock(${LOCKS.migrations}) as "isLocked"`.execute(connection);
    if (rows[0]?.isLocked === true) return;
    await Bun.sleep(LOCK_PAUSE_MS);
  }
}

/** Refuses a database of another version, for code that only reads. */
export async function requireCurrent<Tables>(db: Kysely<Tables>): Promise<void> {
  const rows = await (db as unknown as MigrationDatabase).selectFrom('migrations').select('name').execute();
  const applied = new Set(rows.map((row) => String(row['name'])));
  refuseUnknown(applied, currentMigrations);
  if (currentMigrations.every(({ name }) => applied.has(name))) return;
  throw new DatabaseVersionError(
    'The database was written by an older version of Tollgate: start the server or run tollgate migrate first.',
  );
}

async function runMissing(
  db: MigrationDatabase,
  dialect: DialectName,
  { migrations = currentMigrations, now = Date.now, retry = USUAL_RETRY }: MigrateOptions,
): Promise<string[]> {
  await db.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
  const applied = new Set(
    (await db.selectFrom('migrations').select('name').execute()).map((row) => String(row['name'])),
  );
  refuseUnknown(applied, migrations);
  const ran: string[] = [];
  for (const migration of migrations) {
    if (applied.has(migration.name)) continue;
    const record = async (database: MigrationDatabase) => {
      const row = { name: migration.name, applied_at: Math.floor(now() / 1000) };
      await database.insertInto('migrations').values(row).execute();
    };
    await withLockRetry(migration.name, retry, async () => {
      if (migration.isOnline && dialect === 'postgres') {
        await migration.up(db, dialect);
        await record(db);
        return;
      }
      await db.transaction().execute(async (transaction) => {
        if (dialect === 'postgres')
          await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction);
        await migration.up(transaction, dialect);
        await record(transaction);
      });
    });
    ran.push(migration.name);
  }
  return ran;
}

const LOCK_NOT_AVAILABLE = '55P03';

async function withLockRetry(
  name: string,
  { pauseMs, tries }: LockRetry,
  run: () => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
      if (tried === tries)
        throw new Error(
          `The migration ${name} got no lock in ${tries} tries: a long transaction holds a table that it changes. ` +
            'Find it in pg_stat_activity, end it, and start again.',
          { cause: error },
        );
      await Bun.sleep(pauseMs);
    }
  }
}

function refuseUnknown(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new DatabaseVersionError(
    `The database was written by a newer version of Tollgate (${unknown.join(', ')} is unknown here). ` +
      'Start that version, or restore a backup made before the upgrade.',
  );
}
