// `tollgate reset-password <user>`: the way back in, also for somebody who lost their second factor. Ends the user's
// sessions and leaves an audit row.
import { sql } from 'kysely';
import type { Environment } from '#server/env.ts';
import { writeAudit } from '#server/http/audit.ts';
import { hashPassword } from '#server/store/passwords.ts';
import { CommandError } from './explain.ts';
import { forgetInitialPassword, randomPassword } from './initial-password.ts';
import { withStore } from './open.ts';

export async function resetPassword(
  environment: Environment,
  [name = '']: readonly string[],
): Promise<number> {
  const password = randomPassword();
  const username = await withStore(environment, async (store) => {
    const password_hash = await hashPassword(password);
    const user = await store.db
      .updateTable('users')
      .set((column) => ({
        password_hash,
        password_is_initial: 0 as const,
        auth_version: column('auth_version', '+', 1),
      }))
      .where(sql`lower(username)`, '=', sql`lower(${name})`)
      .where('deleted_at', 'is', null)
      .returning(['id', 'username', 'role'])
      .executeTakeFirst();
    if (!user) throw new CommandError(`there is no user ${name}.`);
    for (const table of ['sessions', 'totp_secrets', 'recovery_codes', 'passkeys'] as const)
      await store.db.deleteFrom(table).where('user_id', '=', user.id).execute();
    await store.changes.announce('users', String(user.id));
    await writeAudit(store, {
      actorId: 0,
      actorName: 'command line',
      address: '',
      action: 'user.password',
      target: `user:${user.id}`,
      requestId: '',
    });
    if (user.username === 'root') await forgetInitialPassword(environment.dataDir);
    return user.username;
  });
  console.log(`new password of ${username}: ${password}`);
  console.log('two-factor and passkeys, if there were any, are off');
  return 0;
}
