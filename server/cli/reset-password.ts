// `tollgate reset-password <user>`: sets a new password and removes the second factor. Ends the user's sessions, writes an
// audit row and queues a mail to the owner, in one transaction.
import { sql } from 'kysely';
import type { Environment } from '#server/env.ts';
import { createOwnerLetters, isConfigured, putLetter } from '#server/features/mail/index.ts';
import { forgetKeys } from '#server/features/security/index.ts';
import { writeAudit } from '#server/http/audit.ts';
import { createLog } from '#server/http/log.ts';
import { openSettings } from '#server/settings/settings.ts';
import { hashPassword } from '#server/store/passwords.ts';
import type { Store } from '#server/store/store.ts';
import { CommandError } from './explain.ts';
import { forgetInitialPassword, randomPassword } from './initial-password.ts';
import { withStore } from './open.ts';

export async function resetPassword(
  environment: Environment,
  [name = '']: readonly string[],
): Promise<number> {
  const password = randomPassword();
  const username = await withStore(environment, async (store) => {
    const user = await replace(store, name, await hashPassword(password));
    await store.changes.announce('users', String(user.id));
    if (user.username === 'root') await forgetInitialPassword(environment.dataDir);
    return user.username;
  });
  console.log(`new password of ${username}: ${password}`);
  console.log('two-factor and passkeys, if there were any, are off');
  return 0;
}

async function replace(store: Store, name: string, password_hash: string) {
  const settings = await openSettings(store, createLog({ level: 'error' }));
  const queue = {
    configured: isConfigured(settings.current),
    put: (db: Store['db'], letter: Parameters<typeof putLetter>[2]) => putLetter(db, store.vault, letter),
    wake: () => {},
  };
  const ownerLetters = createOwnerLetters({ queue, settings });
  try {
    return await store.db.transaction().execute(async (transaction) => {
      const user = await transaction
        .updateTable('users')
        .set((column) => ({
          password_hash,
          password_is_initial: 0 as const,
          auth_version: column('auth_version', '+', 1),
        }))
        .where(sql`lower(username)`, '=', sql`lower(${name})`)
        .where('deleted_at', 'is', null)
        .returning(['id', 'username'])
        .executeTakeFirst();
      if (!user) throw new CommandError(`there is no user ${name}.`);
      await transaction.deleteFrom('sessions').where('user_id', '=', user.id).execute();
      await forgetKeys(transaction, user.id);
      await ownerLetters.put(transaction, user.id, 'password_reset_on_server');
      await writeAudit(store, transaction, {
        actorId: 0,
        actorName: 'command line',
        address: '',
        action: 'user.password',
        target: `user:${user.id}`,
        requestId: '',
      });
      return user;
    });
  } finally {
    settings.close();
  }
}
