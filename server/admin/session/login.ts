// Sign in by name or email. Every failure has the same message and takes the same time, whether the account exists or not.
import type { Handler } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import type { session } from '#contract/admin/session.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { hashPassword, needsRehash, verifyPassword } from '#server/platform/store/passwords.ts';
import { sql } from 'kysely';
import type { Attempts } from './attempts.ts';
import type { SessionDependencies } from './dependencies.ts';
import type { Enter } from './enter.ts';
import type { HumanCheck } from './human-check.ts';

/** A user of this name and a user of this email address. */
const CANDIDATES_MOST = 2;

export function login(
  dependencies: SessionDependencies,
  attempts: Attempts,
  humanCheck: HumanCheck,
  enter: Enter,
): Handler<typeof session.login> {
  const { store, settings } = dependencies;
  // Creates the placeholder hash now: the first unknown name must not take longer than the next.
  verifyPassword('', undefined).catch(() => {});

  return async ({ query, body }, context) => {
    const name = body.username.trim();
    if (name === '' || body.password === '')
      throw new AppError('credentials_required', {}, { field: name === '' ? 'username' : 'password' });
    if (!settings.current.PasswordLoginEnabled) throw new AppError('password_login_disabled');
    const seconds = await attempts.begin(name, context.address);
    if (seconds > 0) throw new AppError('too_many_attempts', { seconds });
    await humanCheck(query.turnstile, context.address);

    const { user, candidates } = await findByPassword(name, body.password);
    if (!user) {
      // Never the typed name: users type their password into that field by mistake.
      const target = candidates[0] ? (`user:${candidates[0].id}` as const) : 'user:unknown';
      await context.auditEvent('session.refused', target);
      throw new AppError('wrong_credentials');
    }
    await attempts.succeed(name, context.address);
    await refreshHash(user.id, user.password_hash, body.password);
    return await enter(user.id, context, 'password');
  };

  async function findByPassword(name: string, password: string) {
    // One user's name can be another user's email address; both are tried.
    const candidates = await store.db
      .selectFrom('users')
      .select(['id', 'status', 'password_hash'])
      .where('kind', '=', 'person')
      .where('deleted_at', 'is', null)
      .where((where) =>
        where.or([
          where(sql`lower(username)`, '=', sql`lower(${name})`),
          where.and([where('email', '<>', ''), where(sql`lower(email)`, '=', sql`lower(${name})`)]),
        ]),
      )
      .orderBy('id')
      .limit(CANDIDATES_MOST)
      .execute();
    // As many comparisons as there can be candidates, for a constant time; only an email address can match two users.
    const checks = name.includes('@') ? CANDIDATES_MOST : 1;
    for (let index = 0; index < checks; index += 1) {
      const candidate = candidates[index];
      const isRight = await verifyPassword(password, candidate?.password_hash);
      if (isRight && candidate?.status === USER_STATUS.activated) return { user: candidate, candidates };
    }
    return { user: null, candidates };
  }

  async function refreshHash(userId: number, storedHash: string, password: string): Promise<void> {
    if (!needsRehash(storedHash)) return;
    await changeUser(store.db, userId, { password_hash: await hashPassword(password) });
  }
}
