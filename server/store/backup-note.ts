// When the last backup was written, as a file beside the data: the command runs in another process than the server, and must
// not write to the database that it copies.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const noteFile = (dataDir: string) => path.join(dataDir, 'last-backup');

export async function noteBackup(dataDir: string, atSeconds: number): Promise<void> {
  await writeFile(noteFile(dataDir), `${atSeconds}\n`, { mode: 0o600 });
}

/** Unix seconds; 0 when no backup is known. */
export async function readBackupNote(dataDir: string): Promise<number> {
  const text = await readFile(noteFile(dataDir), 'utf8').catch(() => '');
  return /^\d{1,12}\s*$/.test(text) ? Number(text) : 0;
}
