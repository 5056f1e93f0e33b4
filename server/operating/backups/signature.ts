// A backup is signed with the master key: beside `name` is `name.sig` with the digest of the file. Whoever changes a role or a
// balance in the file cannot sign it again without the key.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { timingSafeEqual } from 'node:crypto';
import { Database } from 'bun:sqlite';
import { MasterKeyError } from '#server/platform/store/errors.ts';
import { loadMasterKey } from '#server/platform/store/master-key.ts';
import { digestInThread } from '#server/platform/store/sqlite/backup.ts';
import { createVault, requireMasterKeyOf, type Vault } from '#server/platform/store/vault.ts';
import { BackupError } from './backup-error.ts';
import { runClient } from './postgres-tools.ts';

export const signatureFile = (file: string): string => `${file}.sig`;

const FORMAT = /^tollgate-backup 1 sha256:([0-9a-f]{64}) ([0-9a-f]{64})\n?$/;
/** The header of every SQLite file; any other backup is one of pg_dump. */
const SQLITE_MAGIC = 'SQLite format 3\0';

interface KeyPlace {
  dataDir: string;
  masterKey: string | undefined;
}

/** The vault of the master key, proven against the copy; undefined when this machine does not have the key. */
export async function signerOf(key: KeyPlace, copy: string): Promise<Vault | undefined> {
  let vault: Vault;
  try {
    vault = createVault(loadMasterKey({ ...key, mayCreate: false }));
  } catch (error) {
    if (error instanceof MasterKeyError && !key.masterKey) return undefined;
    throw error;
  }
  requireMasterKeyOf(await sentinelOf(copy, copy), key);
  return vault;
}

export async function signBackup(file: string, name: string, vault: Pick<Vault, 'digest'>): Promise<void> {
  const digest = await digestInThread(file);
  const text = `tollgate-backup 1 sha256:${digest} ${vault.digest('backup', digest)}\n`;
  writeFileSync(signatureFile(name), text, { mode: 0o600 });
}

/** Throws when the backup was not signed with this master key or was changed since. `name`: of the backup, for people. */
export async function requireSignature(file: string, name: string, key: KeyPlace): Promise<void> {
  const anyway = `If you trust it all the same: tollgate restore ${name} --unsigned`;
  if (!existsSync(signatureFile(file)))
    throw new BackupError(
      `${signatureFile(name)} does not exist: the backup is not signed (an older version or another tool made it), so a ` +
        `change of it cannot be seen. ${anyway}`,
    );
  const [, digest, proof = ''] = FORMAT.exec(readFileSync(signatureFile(file), 'utf8')) ?? [];
  if (digest === undefined) throw new BackupError(`${signatureFile(name)} is not a signature. ${anyway}`);
  if ((await digestInThread(file)) !== digest)
    throw new BackupError(`${name} was changed after it was signed. Use another backup. ${anyway}`);
  const vault = createVault(loadMasterKey({ ...key, mayCreate: false }));
  if (!timingSafeEqual(Buffer.from(vault.digest('backup', digest)), Buffer.from(proof)))
    throw new BackupError(
      `${name} was not signed with this master key: it was changed, or MASTER_KEY (or the file master.key) is not the one of ` +
        `the installation. ${anyway}`,
    );
}

/** The text of a backup that its master key opens (`requireMasterKeyOf`). */
export async function sentinelOf(file: string, name: string): Promise<string> {
  const sealed = (await isSqlite(file)) ? sentinelOfSqlite(file) : await sentinelOfDump(file);
  if (sealed === undefined) throw new BackupError(`${name} is not a backup of a Tollgate database.`);
  return sealed;
}

async function isSqlite(file: string): Promise<boolean> {
  return (await Bun.file(file).slice(0, SQLITE_MAGIC.length).text()) === SQLITE_MAGIC;
}

function sentinelOfSqlite(file: string): string | undefined {
  const database = new Database(file, { readonly: true });
  try {
    return database.query<{ sealed: string }, []>('select sealed from vault_sentinel where id = 1').get()
      ?.sealed;
  } finally {
    database.close();
  }
}

async function sentinelOfDump(file: string): Promise<string | undefined> {
  const row = await runClient('pg_restore', ['--data-only', '--table=vault_sentinel', '--file=-', file]);
  return /^1\t(\S+)$/m.exec(row)?.[1];
}
