// The last step of every sign-in: a new session, or first the question for a second factor. Between the two steps the
// sign-in is kept in the browser's flow on the server, for minutes and a few tries.
import { unixSeconds } from '#contract/time.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import type { LoginAnswer, SessionUser, signIn } from '#contract/admin/session.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { z } from 'zod';
import type { SessionDependencies } from './dependencies.ts';

/** `how` is the method in the audit row: `password`, `passkey`, `github` … */
export type Enter = (
  userId: number,
  context: RequestContext,
  how: string,
  /** The one whose provider signed in. */
  organizationId?: number,
) => Promise<LoginAnswer>;
export type EnterFully = (
  userId: number,
  context: RequestContext,
  how: string,
  organizationId?: number,
) => Promise<SessionUser>;

const FLOW_NAME = 'second_step';
const FLOW_SECONDS = 300;
const MOST_TRIES = 5;
const pending = z.object({
  userId: z.number(),
  authVersion: z.number(),
  how: z.string(),
  organizationId: z.number().default(0),
  tries: z.number(),
});

type Parts = Pick<SessionDependencies, 'store' | 'secondFactor' | 'requiredSignOn'>;

export function createEnter({ store, secondFactor, requiredSignOn }: Parts): {
  enter: Enter;
  /** Without asking for a second factor; for passkeys, which are one. */
  enterFully: EnterFully;
  secondStep: (input: Input<typeof signIn.loginSecondStep>, context: RequestContext) => Promise<SessionUser>;
} {
  async function usableUser(userId: number) {
    const row = await store.db
      .selectFrom('users')
      .select(['id', 'username', 'display_name', 'role', 'status', 'group'])
      .select(['password_is_initial', 'auth_version'])
      .where('id', '=', userId)
      .where('kind', '=', 'person')
      .where('status', '=', USER_STATUS.activated)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (!row) throw new AppError('user_unavailable');
    return row;
  }

  async function enterFully(
    userId: number,
    context: RequestContext,
    how: string,
    organizationId = 0,
  ): Promise<SessionUser> {
    const { auth_version: _, ...user } = await usableUser(userId);
    const { username } = user;
    const required = await requiredSignOn(userId);
    const isOtherWay = required !== undefined && required.organizationId !== organizationId;
    if (isOtherWay && required.role !== 'owner')
      throw new AppError('sign_on_required', { organization: required.name });
    await store.db.transaction().execute(async (transaction) => {
      await changeUser(transaction, userId, { last_login_at: unixSeconds() });
      await context.startSession(transaction, user, organizationId);
      await context.audit(transaction, 'session.start', `user:${userId}`, undefined, { username, how });
      // An owner keeps the other ways, and the organization sees that one was used.
      if (isOtherWay)
        await context.audit(
          transaction,
          'sign_on.other_way',
          `organization:${required.organizationId}`,
          undefined,
          { user_id: userId, username, how },
        );
    });
    return { ...user, password_is_initial: user.password_is_initial === 1 };
  }

  return {
    enterFully,
    async enter(userId, context, how, organizationId = 0) {
      if (!(await secondFactor.isOn(userId))) return await enterFully(userId, context, how, organizationId);
      const { auth_version } = await usableUser(userId);
      const step = { userId, authVersion: auth_version, how, organizationId, tries: 0 };
      await context.flow.keep(FLOW_NAME, step, FLOW_SECONDS);
      return { require_2fa: true };
    },
    async secondStep({ body }, context) {
      // Removed during the check: of two concurrent guesses one finds the sign-in expired.
      const step = pending.safeParse(await context.flow.take(FLOW_NAME));
      if (!step.success || step.data.tries >= MOST_TRIES) throw new AppError('second_step_expired');
      const { userId, authVersion, how, organizationId, tries } = step.data;
      const user = await usableUser(userId);
      if (user.auth_version !== authVersion) throw new AppError('second_step_expired');
      try {
        await secondFactor.spend(userId, body.code, context);
      } catch (error) {
        if (tries + 1 < MOST_TRIES)
          await context.flow.keep(FLOW_NAME, { ...step.data, tries: tries + 1 }, FLOW_SECONDS);
        throw error;
      }
      return await enterFully(userId, context, `${how}+2fa`, organizationId);
    },
  };
}
