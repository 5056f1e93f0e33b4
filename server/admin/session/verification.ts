// Sends the code that verifies an address, for registering or for binding. The response and its time are the same whether
// the address belongs to an account or not; only the mail differs.
import { randomBytes } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { emails } from '#contract/admin/session.ts';
import { keepCode, newEmailCode, refuseTooMany } from './codes.ts';
import type { SessionDependencies } from './dependencies.ts';
import { isTaken, usableEmail } from './email.ts';
import type { HumanCheck } from './human-check.ts';
import { codeLetter, takenLetter } from './letters.ts';

export function sendVerification(
  dependencies: SessionDependencies,
  humanCheck: HumanCheck,
): Handler<typeof emails.verification> {
  const { store, settings, mailer } = dependencies;

  return async ({ query }, context) => {
    if (query.email === '') throw new AppError('email_required', {}, { field: 'email' });
    const { RegisterEnabled, EmailCodeMinutes, SystemName, ServerAddress } = settings.current;
    if (!context.user && !RegisterEnabled) throw new AppError('register_disabled');
    const email = usableEmail(query.email, settings.current);
    if (!mailer.configured) throw new AppError('mail_not_configured');
    await humanCheck(query.turnstile, context.address);
    const taken = await isTaken(store, email, context.user?.id);
    await refuseTooMany(store, 'email', email);

    const expiresAt = unixSeconds() + EmailCodeMinutes * 60;
    // A taken address gets no code by mail; an unguessable one is stored, so that the work is the same.
    const code = taken ? randomBytes(16).toString('hex') : newEmailCode();
    const letter = taken
      ? takenLetter(context.language, SystemName, { link: `${ServerAddress}/reset` })
      : codeLetter(context.language, SystemName, { code, minutes: EmailCodeMinutes });
    await store.db.transaction().execute(async (transaction) => {
      await keepCode(store, transaction, { purpose: 'email', email, code, expiresAt });
      await mailer.put(transaction, { ...letter, recipient: email, secret: true, expiresAt });
      await context.audit(transaction, 'email.code', 'email');
    });
    mailer.wake();
    return null;
  };
}
