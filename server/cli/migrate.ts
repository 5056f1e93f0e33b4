// `tollgate migrate`: opens the database, which migrates it, and anchors the audit trail.
import type { Environment } from '#server/platform/env.ts';
import { anchorTrail } from '#server/admin/http/audit.ts';
import { DataDirectoryLockedError } from '#server/platform/store/errors.ts';
import { CommandError } from './explain.ts';
import { withStore } from './open.ts';

export async function migrate(environment: Environment): Promise<number> {
  try {
    await withStore(environment, anchorTrail);
  } catch (error) {
    if (!(error instanceof DataDirectoryLockedError)) throw error;
    throw new CommandError(
      `the server runs on ${environment.dataDir} and has migrated the database at its start. To migrate with another ` +
        'version, stop the server first.',
    );
  }
  console.log('the database is up to date');
  return 0;
}
