// `tollgate backup <file>`: a consistent copy, also while the server runs. It deliberately excludes the master key.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '#server/env.ts';
import { copyInThread } from '#server/store/sqlite/backup.ts';
import { databaseFile } from '#server/store/sqlite/open.ts';
import { CommandError } from './explain.ts';
import { runClient } from './postgres-tools.ts';

export async function backup(environment: Environment, [target = '']: readonly string[]): Promise<number> {
  const file = path.resolve(target);
  if (existsSync(file)) throw new CommandError(`${file} exists already; a backup never overwrites a file.`);
  if (!existsSync(path.dirname(file)))
    throw new CommandError(`the folder ${path.dirname(file)} does not exist.`);
  // Under another name until it is whole: a backup that was cut short must not look like one.
  const draft = `${file}.unfinished-${process.pid}`;
  try {
    if (environment.databaseUrl === undefined) await backupSqlite(environment.dataDir, draft);
    else await backupPostgres(environment.databaseUrl, draft);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  console.log(`wrote ${file}`);
  console.log(
    'Keep the master key (MASTER_KEY or master.key) as well, but not in the same place: without it the secrets',
  );
  console.log(`in this copy cannot be read. To go back to this copy: tollgate restore ${target}`);
  return 0;
}

async function backupSqlite(dataDir: string, file: string): Promise<void> {
  const source = databaseFile(dataDir);
  if (!existsSync(source)) throw new CommandError(`there is no database at ${source}.`);
  await copyInThread(source, file);
}

async function backupPostgres(databaseUrl: string, file: string): Promise<void> {
  // Made here, because pg_dump would make it readable to every user of the machine.
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  await runClient('pg_dump', ['--format=custom', `--file=${file}`], databaseUrl);
}
