// The way back in by mail: a link that works once, and in exchange for it a new password that ends every session. Asking
// for the link tells nobody whether the address has an account.
import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { emails } from '#contract/session.ts';
import { USER_STATUS } from '#contract/users.ts';
import { hashPassword } from '#server/store/passwords.ts';
import { keepCode, refuseTooMany, spendCode } from './codes.ts';
import { unixSeconds, type SessionDependencies } from './dependencies.ts';
import { wellFormedEmail } from './email.ts';
import type { HumanCheck } from './human-check.ts';
import { resetLetter } from './letters.ts';

/** Without the letters and digits people mistake for one another. */
const PASSWORD_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const PASSWORD_LENGTH = 12;
const TOKEN_BYTES = 32;

export function sendResetMail(dependencies: SessionDependencies, humanCheck: HumanCheck) {
  const { store, settings, mailer } = dependencies;

  return async ({ query }: Input<typeof emails.resetMail>, context: RequestContext): Promise<null> => {
    if (query.email === '') throw new AppError('email_required');
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
      // To nobody where there is no account: the answer takes as long, and the queue throws the letter away.
      await mailer.put(transaction, { ...letter, recipient: owner?.email ?? '', secret: true, expiresAt });
    });
    await context.audit('password.reset_mail', owner ? `user:${owner.id}` : 'user:unknown');
    mailer.wake();
    return null;
  };
}

export function resetPassword(dependencies: SessionDependencies) {
  const { store, ownerLetters, forgetInitialPassword } = dependencies;

  return async ({ body }: Input<typeof emails.reset>, context: RequestContext): Promise<string> => {
    const { email, token } = body;
    if (email === '' || token === '' || !(await spendCode(store, 'reset', email, token)))
      throw new AppError('reset_link_invalid');
    const owner = await ownerOf(dependencies, email);
    // The link was good, so whoever holds it may know: the account left or moved to another address meanwhile.
    if (!owner) throw new AppError('email_not_registered');
    const password = Array.from(
      { length: PASSWORD_LENGTH },
      () => PASSWORD_ALPHABET[randomInt(PASSWORD_ALPHABET.length)],
    ).join('');
    const password_hash = await hashPassword(password);
    await store.db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('users')
        .set((column) => ({
          password_hash,
          password_is_initial: 0 as const,
          auth_version: column('auth_version', '+', 1),
        }))
        .where('id', '=', owner.id)
        .execute();
      await transaction.deleteFrom('sessions').where('user_id', '=', owner.id).execute();
      await ownerLetters.put(transaction, owner.id, 'password_reset', context.address);
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(owner.id));
    if (owner.password_is_initial === 1) await forgetInitialPassword();
    await context.audit('password.reset', `user:${owner.id}`);
    return password;
  };
}

async function ownerOf({ store }: SessionDependencies, email: string) {
  return await store.db
    .selectFrom('users')
    .select(['id', 'email', 'password_is_initial'])
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('status', '=', USER_STATUS.activated)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .executeTakeFirst();
}
