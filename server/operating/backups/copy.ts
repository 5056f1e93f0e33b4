// A consistent copy of the database as one file, also while the server runs, and its signature beside it. It deliberately excludes
// the master key.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { copyInThread } from '#server/platform/store/sqlite/backup.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { BackupError } from './backup-error.ts';
import { requireDumpFor, runClient } from './postgres-tools.ts';
import { signBackup, signerOf } from './signature.ts';

export interface BackupSource {
  dataDir: string;
  databaseUrl: string | undefined;
  masterKey: string | undefined;
}

/** Under another name until it is whole: a backup that was cut short must not look like one. */
export async function writeBackup(source: BackupSource, file: string): Promise<{ isSigned: boolean }> {
  const { dataDir, databaseUrl } = source;
  if (existsSync(file)) throw new BackupError(`${file} exists already; a backup never overwrites a file.`);
  const draft = `${file}${UNFINISHED_MARK}${process.pid}`;
  try {
    if (databaseUrl === undefined) await copySqlite(dataDir, draft);
    else await copyPostgres(databaseUrl, draft);
    const signer = await signerOf(source, draft);
    if (signer !== undefined) await signBackup(draft, file, signer);
    renameSync(draft, file);
    return { isSigned: signer !== undefined };
  } finally {
    rmSync(draft, { force: true });
  }
}

export const UNFINISHED_MARK = '.unfinished-';

async function copySqlite(dataDir: string, file: string): Promise<void> {
  const source = databaseFile(dataDir);
  if (!existsSync(source)) throw new BackupError(`there is no database at ${source}.`);
  await copyInThread(source, file);
}

async function copyPostgres(databaseUrl: string, file: string): Promise<void> {
  await requireDumpFor(databaseUrl);
  // Made here, because pg_dump would make it readable to every user of the machine.
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  await runClient('pg_dump', ['--format=custom', `--file=${file}`], databaseUrl);
}
