// `tollgate backup <file>`: a consistent copy, also while the server runs. It deliberately excludes the master key.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '#server/env.ts';
import { copyInThread } from '#server/store/sqlite/backup.ts';
import { databaseFile } from '#server/store/sqlite/open.ts';
import { CommandError } from './explain.ts';

export async function backup(environment: Environment, [target = '']: readonly string[]): Promise<number> {
  const file = path.resolve(target);
  if (existsSync(file)) throw new CommandError(`${file} exists already; a backup never overwrites a file.`);
  if (environment.databaseUrl === undefined) await backupSqlite(environment.dataDir, file);
  else await backupPostgres(environment.databaseUrl, file);
  console.log(`wrote ${file}`);
  console.log(
    'Keep the master key (MASTER_KEY or master.key) beside it, but not in the same place: without it the',
  );
  console.log('secrets in this copy cannot be read.');
  return 0;
}

async function backupSqlite(dataDir: string, file: string): Promise<void> {
  const source = databaseFile(dataDir);
  if (!existsSync(source)) throw new CommandError(`there is no database at ${source}.`);
  await copyInThread(source, file);
}

async function backupPostgres(databaseUrl: string, file: string): Promise<void> {
  const program = Bun.which('pg_dump');
  if (!program)
    throw new CommandError('pg_dump is not installed; it comes with the PostgreSQL client programs.');
  // The address contains the password, so it is passed in the environment, which other users cannot see.
  const dump = Bun.spawn([program, '--format=custom', `--file=${file}`], {
    env: { ...process.env, PGDATABASE: databaseUrl },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if ((await dump.exited) !== 0) throw new CommandError('pg_dump failed; nothing usable was written.');
}
