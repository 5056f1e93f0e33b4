// Sign up by password: the account, its starting quota and the invite rewards appear together or not at all.
import type { RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { passwordProblem } from '#contract/passwords.ts';
import type { session } from '#contract/session.ts';
import { isUniqueViolation } from '#server/store/errors.ts';
import { hashPassword } from '#server/store/passwords.ts';
import { sql } from 'kysely';
import { unixSeconds, type SessionDependencies } from './dependencies.ts';
import { refuseEmail, usableEmail } from './email.ts';
import { spendCode } from './codes.ts';
import { grantSignUpQuota, newInviteCode } from './invite.ts';
import type { HumanCheck } from './human-check.ts';

type Body = Input<typeof session.register>['body'];

/** Control and format characters make two names look alike. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u;

export function register(dependencies: SessionDependencies, humanCheck: HumanCheck) {
  const { store, settings } = dependencies;

  return async ({ query, body }: Input<typeof session.register>, context: RequestContext): Promise<null> => {
    if (!settings.current.RegisterEnabled) throw new AppError('register_disabled');
    if (!settings.current.PasswordRegisterEnabled) throw new AppError('password_register_disabled');
    checkFields(body);
    await humanCheck(query.turnstile, context.address);
    // Before anything is looked up: a name or an address in use must not be the quicker answer.
    const passwordHash = await hashPassword(body.password);
    if (await isNameTaken(body.username)) {
      await context.audit('user.register_refused', 'user:unknown', undefined, { username: body.username });
      throw new AppError('username_taken');
    }
    const email = await verifiedEmail(body);
    const userId = await createUser(body, passwordHash, email);
    await context.audit('user.register', `user:${userId}`, undefined, { username: body.username });
    return null;
  };

  function checkFields({ username, password, password2 }: Body): void {
    if (username === '' || password === '') throw new AppError('credentials_required');
    if (UNPRINTABLE.test(username)) throw new AppError('invalid_parameter', { detail: 'username' });
    const problem = passwordProblem(password, username);
    if (problem) throw new AppError(problem);
    if (password2 !== undefined && password2 !== password) throw new AppError('passwords_differ');
  }

  /** Deleted accounts keep their name: a newcomer must not inherit what others know it by. */
  async function isNameTaken(username: string): Promise<boolean> {
    const taken = await store.db
      .selectFrom('users')
      .select('id')
      .where(sql`lower(username)`, '=', sql`lower(${username})`)
      .executeTakeFirst();
    return taken !== undefined;
  }

  /** Empty unless the operator asks for a verified address. */
  async function verifiedEmail(body: Body): Promise<string> {
    if (!settings.current.EmailVerificationEnabled) return '';
    if (!body.email) throw new AppError('email_required');
    if (!body.verification_code) throw new AppError('email_code_required');
    const email = usableEmail(body.email, settings.current);
    if (!(await spendCode(store, 'email', email, body.verification_code)))
      throw new AppError('email_code_wrong');
    await refuseEmail(store, email);
    return email;
  }

  async function createUser(
    { username, aff_code }: Body,
    password_hash: string,
    email: string,
  ): Promise<number> {
    const inviter = aff_code ? await inviterOf(aff_code) : undefined;
    try {
      return await store.db.transaction().execute(async (transaction) => {
        const { id } = await transaction
          .insertInto('users')
          .values({
            username,
            password_hash,
            display_name: username.slice(0, 20),
            email,
            aff_code: newInviteCode(),
            inviter_id: inviter?.id ?? 0,
            created_at: unixSeconds(),
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await grantSignUpQuota(dependencies, transaction, { id, username }, inviter);
        return id;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'username')) throw new AppError('username_taken');
      throw error;
    }
  }

  async function inviterOf(code: string) {
    return await store.db
      .selectFrom('users')
      .select(['id', 'username'])
      .where('aff_code', '=', code)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
  }
}
