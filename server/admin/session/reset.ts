// Password reset by mail: a link that works once gives a new password and ends every session. The response to a request for
// a link does not show whether the address has an account.
import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { changeAndSignOut } from '#server/admin/accounts.ts';
import type { Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { emails } from '#contract/admin/session.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import { keepCode, refuseTooMany, spendCode } from './codes.ts';
import type { SessionDependencies } from './dependencies.ts';
import { wellFormedEmail } from './email.ts';
import type { HumanCheck } from './human-check.ts';
import { resetLetter } from './letters.ts';

/** Without letters and digits that look alike. */
const PASSWORD_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const PASSWORD_LENGTH = 12;
const TOKEN_BYTES = 32;

export function sendResetMail(
  dependencies: SessionDependencies,
  humanCheck: HumanCheck,
): Handler<typeof emails.resetMail> {
  const { store, settings, mailer } = dependencies;

  return async ({ query }, context) => {
    if (query.email === '') throw new AppError('email_required', {}, { field: 'email' });
    const email = wellFormedEmail(query.email);
    if (!mailer.configured) throw new AppError('mail_not_configured');
    await humanCheck(query.turnstile, context.address);
    await refuseTooMany(store, 'reset', email);
    const owner = await ownerOf(dependencies, email);

    const { ResetLinkMinutes, SystemName, ServerAddress } = settings.current;
    const expiresAt = unixSeconds() + ResetLinkMinutes * 60;
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const link = `${ServerAddress}/user/reset?${new URLSearchParams({ email, token }).toString()}`;
    const letter = resetLetter(context.language, SystemName, { link, minutes: ResetLinkMinutes });
    await store.db.transaction().execute(async (transaction) => {
      await keepCode(store, transaction, { purpose: 'reset', email, code: token, expiresAt });
      // An empty recipient where there is no account: the same work, and the queue deletes the mail.
      await mailer.put(transaction, { ...letter, recipient: owner?.email ?? '', secret: true, expiresAt });
      const target = owner ? (`user:${owner.id}` as const) : 'user:unknown';
      await context.audit(transaction, 'password.reset_mail', target);
    });
    mailer.wake();
    return null;
  };
}

export function resetPassword(dependencies: SessionDependencies): Handler<typeof emails.reset> {
  const { store, ownerLetters, forgetInitialPassword } = dependencies;

  return async ({ body }, context) => {
    const { email, token } = body;
    if (email === '' || token === '' || !(await spendCode(store, 'reset', email, token)))
      throw new AppError('reset_link_invalid');
    const owner = await ownerOf(dependencies, email);
    // The link was valid, so its holder may learn that the account was deleted or has another address by now.
    if (!owner) throw new AppError('email_not_registered');
    const password = Array.from(
      { length: PASSWORD_LENGTH },
      () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)],
    ).join('');
    const password_hash = await hashPassword(password);
    await store.db.transaction().execute(async (transaction) => {
      await changeAndSignOut(transaction, owner.id, { password_hash, password_is_initial: 0 });
      await ownerLetters.put(transaction, owner.id, 'password_reset', context.address);
      await context.audit(transaction, 'password.reset', `user:${owner.id}`);
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(owner.id));
    if (owner.password_is_initial === 1) await forgetInitialPassword();
    return password;
  };
}

async function ownerOf({ store }: SessionDependencies, email: string) {
  return await store.db
    .selectFrom('users')
    .select(['id', 'email', 'password_is_initial'])
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('kind', '=', 'person')
    .where('status', '=', USER_STATUS.activated)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst();
}
