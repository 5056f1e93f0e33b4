// Everything as it is at one moment, read without keeping anybody from writing: for an export beside the running server.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Kysely, SqliteDialect } from 'kysely';
import { DataDirectoryError } from './errors.ts';
import { requireCurrent } from './migrations/migrate.ts';
import { openPostgresReader } from './postgres/reader.ts';
import type { Schema } from './schema.ts';
import { directDatabase } from './sqlite/boot.ts';
import { openReadOnly } from './sqlite/connection.ts';
import { databaseFile } from './sqlite/open.ts';
import type { StoreOptions } from './types.ts';
import { unlockVault, type Vault } from './vault.ts';

type SnapshotOptions = Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'masterKey'>;

export async function withSnapshot<Result>(
  options: SnapshotOptions,
  use: (db: Kysely<Schema>, vault: Vault) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl } = options;
  const isSqlite = databaseUrl === undefined || databaseUrl === '';
  const db = isSqlite ? openFile(databaseFile(options.dataDir)) : openPostgresReader(databaseUrl).db;
  try {
    await requireCurrent(db);
    const vault = await unlockVault(db, options);
    const transaction = db.transaction();
    const atOneMoment = isSqlite ? transaction : transaction.setIsolationLevel('repeatable read');
    return await atOneMoment.execute((reading) => use(reading, vault));
  } finally {
    await db.destroy();
  }
}

function openFile(file: string): Kysely<Schema> {
  if (!existsSync(file)) throw new DataDirectoryError(path.dirname(file), new Error('it has no database'));
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: directDatabase(openReadOnly(file)) }) });
}
