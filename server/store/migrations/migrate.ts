// Brings a database to the current schema. Each migration and its record commit together, so one that is killed half
// way has not happened; on PostgreSQL a lock makes simultaneous starts wait for each other.
import { sql, type Kysely } from 'kysely';
import { DatabaseVersionError } from '#server/store/errors.ts';
import { migrations as currentMigrations } from './index.ts';
import type { DialectName, Migration, MigrationDatabase } from './migration.ts';

/** Any number, the same in every release: the key of the advisory lock. */
const lockKey = 784_511_203;

export interface MigrateOptions {
  migrations?: readonly Migration[];
  now?: () => number;
}

/** Returns the names of the migrations that ran. */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  dialect: DialectName,
  { migrations = currentMigrations, now = Date.now }: MigrateOptions = {},
): Promise<string[]> {
  const untyped = db as unknown as MigrationDatabase;
  return await untyped.connection().execute(async (connection) => {
    if (dialect === 'sqlite') return await runMissing(connection, dialect, migrations, now);
    // Waiting for another node, or rewriting a large table, may take longer than a request may.
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`select pg_advisory_lock(${lockKey})`.execute(connection);
    try {
      return await runMissing(connection, dialect, migrations, now);
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection);
      await sql`reset statement_timeout`.execute(connection);
    }
  });
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
  migrations: readonly Migration[],
  now: () => number,
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
    await db.transaction().execute(async (transaction) => {
      await migration.up(transaction, dialect);
      const row = { name: migration.name, applied_at: Math.floor(now() / 1000) };
      await transaction.insertInto('migrations').values(row).execute();
    });
    ran.push(migration.name);
  }
  return ran;
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
