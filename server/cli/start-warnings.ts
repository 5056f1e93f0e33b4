// What an operator should know at a start although it is no reason to refuse it.
import { existsSync } from 'node:fs';
import { Database } from 'bun:sqlite';
import type { Environment } from '#server/platform/env.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { initialPasswordFile } from '#server/app/initial-password.ts';

/** Read before the database is opened, so that nothing of this start is in it. */
export function startWarnings({ dataDir, databaseUrl }: Environment): string[] {
  const warnings: string[] = [];
  const file = databaseFile(dataDir);
  const users = databaseUrl === undefined ? 0 : usersIn(file);
  if (users > 0)
    warnings.push(
      `WARNING: DATABASE_URL is set, so PostgreSQL is used, and the SQLite installation in ${file} with its ` +
        `${users} users, their balances and channels is not. To go on with it, stop this server and start without ` +
        'DATABASE_URL. To take it to PostgreSQL, stop this server and run tollgate move into an empty database. If it is ' +
        'of no use any more, move that file away.',
    );
  const password = initialPasswordFile(dataDir);
  if (existsSync(password))
    warnings.push(`the first password of root has not been changed yet; it is in ${password}`);
  return warnings;
}

/** Links in mails, pictures and callbacks of payments use the address of the settings, not the one of a request. */
export function addressWarning(serverAddress: string): string | undefined {
  const name = URL.canParse(serverAddress) ? new URL(serverAddress).hostname : '';
  if (name !== 'localhost' && name !== '') return undefined;
  return (
    `links in mails and pictures point to ${serverAddress || 'no address'}, which works on this machine only. ` +
    'Set the server address in the console: Settings, System.'
  );
}

/** 0 when there is no database or it cannot be read: a warning must not end a start. */
function usersIn(file: string): number {
  if (!existsSync(file)) return 0;
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true });
    return (database.query('select count(*) as users from users').get() as { users: number }).users;
  } catch {
    return 0;
  } finally {
    database?.close();
  }
}
