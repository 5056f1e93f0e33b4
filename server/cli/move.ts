// `tollgate move <postgres://…>`: takes the installation of DATA_DIR from SQLite to an empty PostgreSQL database. The old database
// is only read. A move that was cut off goes on when the command runs again.
import path from 'node:path';
import { existsSync, readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import { spoolsAmong } from '#server/money/ledger/spool-names.ts';
import type { Environment } from '#server/platform/env.ts';
import { copyTable, makePartitionsOf, setSequences } from '#server/platform/store/move/copy.ts';
import { beginMove, endMove, isMoving, readProgress } from '#server/platform/store/move/progress.ts';
import { readMovedTables } from '#server/platform/store/move/tables.ts';
import { differencesOf } from '#server/platform/store/move/verify.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { WRITER_ENTRY } from '#server/app/writer-entry.ts';
import { CommandError } from './explain.ts';

export async function move(environment: Environment, [address = '']: readonly string[]): Promise<number> {
  if (environment.databaseUrl !== undefined)
    throw new CommandError(
      'DATABASE_URL is set: this installation is on PostgreSQL already. Unset it to move DATA_DIR.',
    );
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new CommandError(
      'the target must be an address of the form postgres://user:password@host:5432/database.',
    );
  const { dataDir, masterKey } = environment;
  if (!existsSync(path.join(dataDir, 'tollgate.db')))
    throw new CommandError(`there is no database in ${dataDir}.`);
  const options = { dataDir, masterKey, writerEntry: WRITER_ENTRY };
  const source = await openStore(options);
  try {
    await requireQuiet(source, dataDir);
    const target = await openStore({ ...options, databaseUrl: address, continuesMove: true });
    try {
      await moveAll(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
  console.log('moved; start the server with DATABASE_URL set to the new database and the same master key.');
  console.log(
    `The old database in ${dataDir} is unchanged. Do not start a server on it again: it would spend the same money twice.`,
  );
  return 0;
}

/** Money that a process still has to book is in files and holds of this machine. */
async function requireQuiet({ db }: Store, dataDir: string): Promise<void> {
  const folder = path.join(dataDir, 'spool');
  const spools = existsSync(folder) ? spoolsAmong(folder, readdirSync(folder)) : [];
  const holds = await db
    .selectFrom('holds')
    .select('id')
    // Holds of tasks belong to no process and are copied.
    .where('node_id', '<>', TASK_NODE)
    .limit(1)
    .execute();
  if (spools.length > 0 || holds.length > 0)
    throw new CommandError(
      'calls of the last run are not booked yet. Start the server, stop it with SIGTERM, and move then.',
    );
}

async function moveAll(source: Store, target: Store): Promise<void> {
  const sealed = await installationOf(source);
  if (!(await isMoving(target.db))) {
    const user = await target.db.selectFrom('users').select('id').limit(1).executeTakeFirst();
    if (user !== undefined)
      throw new CommandError('the target has users already. Move into an empty database.');
    await beginMove(target.db, sealed);
  }
  const progress = await readProgress(target.db);
  if (progress.source !== sealed)
    throw new CommandError('another installation is being moved into this database. Choose an empty one.');
  await makePartitionsOf(source.db, target.db);
  const tables = await readMovedTables(source.db, target.db);
  const wrong: string[] = [];
  for (const table of tables) {
    await copyTable(source.db, target.db, table, progress.keys.get(table.name));
    const { rows, differences } = await differencesOf(source.db, target.db, table);
    wrong.push(...differences);
    console.log(`${table.name.padEnd(20)} ${rows} rows`);
  }
  await setSequences(target.db);
  const reader = await target.openReader();
  try {
    wrong.push(...(await checkInvariants(reader)).map(({ invariant, detail }) => `${invariant}: ${detail}`));
  } finally {
    await reader.close();
  }
  if (wrong.length > 0)
    throw new CommandError(`the copy is not equal to the original:\n  ${wrong.slice(0, 20).join('\n  ')}`);
  await endMove(target.db);
}

/** Identifies the installation: the sealed sentinel differs between installations, even under the same master key. */
async function installationOf({ db }: Store): Promise<string> {
  const { rows } = await sql<{ sealed: string }>`select sealed from vault_sentinel`.execute(db);
  return rows[0]?.sealed ?? '';
}
