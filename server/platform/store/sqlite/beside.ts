// A second writer in another process than the server, for a command that changes a few rows while the server runs. Its
// transactions take SQLite's lock between two batches of the server. Never for money: the server keeps balances in memory.
import { existsSync } from 'node:fs';
import { Kysely, SqliteDialect } from 'kysely';
import { localChanges, type FaultListener } from '#server/platform/store/changes.ts';
import { requireCurrent } from '#server/platform/store/migrations/migrate.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { CommandStore, StoreOptions } from '#server/platform/store/types.ts';
import { unlockVault } from '#server/platform/store/vault.ts';
import { directDatabase } from './boot.ts';
import { openWritable } from './connection.ts';

export async function openSqliteBeside(
  file: string,
  { dataDir, masterKey }: Pick<StoreOptions, 'dataDir' | 'masterKey'>,
  onFault: FaultListener,
): Promise<CommandStore> {
  if (!existsSync(file)) throw new Error(`there is no database at ${file}.`);
  const direct = directDatabase(openWritable(file));
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        ...direct,
        // A transaction that reads first could not become a writer after the server has committed in between.
        prepare: (text) => direct.prepare(text === 'begin' ? 'begin immediate' : text),
      },
    }),
  });
  try {
    await requireCurrent(db);
    const vault = await unlockVault(db, { dataDir, masterKey });
    return {
      dialect: 'sqlite',
      db,
      vault,
      // The server finds the commit itself (foreign-commits.ts).
      changes: localChanges(onFault),
      close: () => db.destroy(),
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
