// `tollgate restore <file or s3://bucket/name>`: goes back to a backup and checks every invariant of it. SQLite: replaces the database of DATA_DIR and keeps the old one. PostgreSQL:
// fills an empty database. Nothing is changed before the backup and the master key have proven to fit together.
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  fetchFromS3,
  isS3,
  requireSignature,
  runClient,
  sentinelOf,
} from '#server/operating/backups/index.ts';
import type { Environment } from '#server/platform/env.ts';
import { anchorTrail } from '#server/admin/http/audit.ts';
import { isEmptyDatabase } from '#server/platform/store/postgres/empty.ts';
import { restoreSqlite } from '#server/platform/store/sqlite/restore.ts';
import { requireMasterKeyOf } from '#server/platform/store/vault.ts';
import type { OptionValues } from './arguments.ts';
import { audit } from './audit.ts';
import { CommandError } from './explain.ts';
import { withStore } from './open.ts';

export async function restore(
  environment: Environment,
  [source = '']: readonly string[],
  { unsigned }: OptionValues = {},
): Promise<number> {
  const requireOurs = async (file: string, name: string) => {
    if (unsigned !== true) await requireSignature(file, name, environment);
  };
  if (isS3(source))
    return await fetchFromS3(source, environment, async (copy) => {
      await requireOurs(copy, source);
      return await restoreFile(environment, copy, source);
    });
  const file = path.resolve(source);
  if (!existsSync(file)) throw new CommandError(`there is no file ${file}.`);
  await requireOurs(file, file);
  return await restoreFile(environment, file, file);
}

/** `name`: of the backup, for people. */
async function restoreFile(environment: Environment, backup: string, name: string): Promise<number> {
  const { dataDir, databaseUrl, masterKey } = environment;
  if (databaseUrl === undefined) {
    const kept = await restoreSqlite({ backup, dataDir, masterKey });
    if (kept !== null) console.log(`the database that was in use until now is kept as ${kept}`);
  } else {
    await restorePostgres({ ...environment, databaseUrl }, backup);
  }
  // A backup of an older version has no anchor yet.
  await withStore(environment, anchorTrail);
  console.log(`restored ${name}; checking it:`);
  const code = await audit(environment);
  console.log('What was paid, spent or changed after this backup was made is not in it.');
  return code;
}

async function restorePostgres(environment: Environment & { databaseUrl: string }, backup: string) {
  const { databaseUrl, dataDir, masterKey } = environment;
  requireMasterKeyOf(await sentinelOf(backup, backup), { dataDir, masterKey });
  if (!(await isEmptyDatabase(databaseUrl)))
    throw new CommandError(
      'the database of DATABASE_URL has tables already. Create an empty one, set DATABASE_URL to it and restore ' +
        'there; the old one stays as it is.',
    );
  await runClient(
    'pg_restore',
    ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', backup],
    databaseUrl,
  );
}
