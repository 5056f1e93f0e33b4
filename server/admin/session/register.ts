// Sign-up by password: account, starting quota, invite rewards and audit row in one transaction.
import type { Handler, RequestContext } from '#server/admin/context.ts';
import {
  createAccount,
  inviterOf,
  isNameTaken,
  nameTaken,
  refuseReservedName,
  refuseTakenName,
} from '#server/admin/sign-up.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { passwordProblem } from '#contract/admin/passwords.ts';
import type { session } from '#contract/admin/session.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import type { SessionDependencies } from './dependencies.ts';
import { refuseEmail, usableEmail } from './email.ts';
import { spendCode } from './codes.ts';
import type { HumanCheck } from './human-check.ts';

type Body = Input<typeof session.register>['body'];

/** Control and format characters make two names look alike. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u;

export function register(
  dependencies: SessionDependencies,
  humanCheck: HumanCheck,
): Handler<typeof session.register> {
  const { store, settings } = dependencies;

  return async ({ query, body }, context) => {
    if (!settings.current.RegisterEnabled) throw new AppError('register_disabled');
    if (!settings.current.PasswordRegisterEnabled) throw new AppError('password_register_disabled');
    checkFields(body);
    await humanCheck(query.turnstile, context.address);
    // Hashed before any lookup: a name or an address in use must not give the quicker response.
    const passwordHash = await hashPassword(body.password);
    if (await isNameTaken(store, body.username)) {
      await context.auditEvent('user.register_refused', 'user:unknown', { username: body.username });
      throw nameTaken();
    }
    const email = await requireVerifiedEmail(body);
    await createUser(body, { passwordHash, email }, context);
    return null;
  };

  function checkFields({ username, password, password2 }: Body): void {
    if (username === '' || password === '')
      throw new AppError('credentials_required', {}, { field: username === '' ? 'username' : 'password' });
    if (UNPRINTABLE.test(username)) throw invalidField('username', 'printable');
    refuseReservedName(username);
    const problem = passwordProblem(password, username);
    if (problem) throw new AppError(problem, {}, { field: 'password' });
    if (password2 !== undefined && password2 !== password)
      throw new AppError('passwords_differ', {}, { field: 'password2' });
  }

  /** Empty unless the operator asks for a verified address. */
  async function requireVerifiedEmail(body: Body): Promise<string> {
    if (!settings.current.EmailVerificationEnabled) return '';
    if (!body.email) throw new AppError('email_required', {}, { field: 'email' });
    if (!body.verification_code)
      throw new AppError('email_code_required', {}, { field: 'verification_code' });
    const email = usableEmail(body.email, settings.current);
    if (!(await spendCode(store, 'email', email, body.verification_code)))
      throw new AppError('email_code_wrong', {}, { field: 'verification_code' });
    await refuseEmail(store, email);
    return email;
  }

  async function createUser(
    { username, aff_code }: Body,
    { passwordHash, email }: { passwordHash: string; email: string },
    context: RequestContext,
  ): Promise<void> {
    const inviter = await inviterOf(store, aff_code ?? '');
    await store.db
      .transaction()
      .execute(async (transaction) => {
        const display_name = username.slice(0, 20);
        const columns = { username, password_hash: passwordHash, display_name, email };
        const id = await createAccount(dependencies, transaction, columns, inviter);
        await context.audit(transaction, 'user.register', `user:${id}`, undefined, { username });
      })
      .catch(refuseTakenName);
  }
}
