// Binds an address that was verified by a code, or replaces the account's address; the old address gets a mail.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import type { emails } from '#contract/admin/session.ts';
import { spendCode } from './codes.ts';
import type { SessionDependencies } from './dependencies.ts';
import { refuseEmail, usableEmail } from './email.ts';
import { movedLetter } from './letters.ts';

export function bindEmail({
  store,
  settings,
  mailer,
}: SessionDependencies): Handler<typeof emails.bindEmail> {
  return async ({ query }, context) => {
    const { id, username } = callerOf(context);
    if (query.email === '') throw new AppError('email_required', {}, { field: 'email' });
    if (query.code === '') throw new AppError('email_code_required', {}, { field: 'code' });
    const email = usableEmail(query.email, settings.current);
    if (!(await spendCode(store, 'email', email, query.code)))
      throw new AppError('email_code_wrong', {}, { field: 'code' });
    await refuseEmail(store, email, id);
    await store.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('users')
        .select('email')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await changeUser(transaction, id, { email });
      if (row.email !== '' && row.email.toLowerCase() !== email.toLowerCase() && mailer.configured) {
        const letter = movedLetter(context.language, settings.current.SystemName, { username });
        await mailer.put(transaction, { ...letter, recipient: row.email, secret: false, expiresAt: 0 });
      }
      await context.audit(transaction, 'user.email', `user:${id}`, { email: row.email }, { email });
    });
    mailer.wake();
    await store.changes.announce('users', String(id));
    return null;
  };
}
