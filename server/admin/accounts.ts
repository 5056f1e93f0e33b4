// What several nouns of the admin API do with an account, and the parts that one noun provides to the others (a noun imports
// no other noun; server/app/accounts.ts joins them).
import type { Kysely, Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { STEP_UP_SECONDS } from '#contract/admin/security.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Actor, RequestContext } from './context.ts';
import { endOtherSessions, endSessions, endSessionsThrough } from './http/sessions.ts';
import { removeKeysOf } from './usage-api/keys.ts';
import { changeUsers, type UserColumns } from './write-user.ts';

export { endOtherSessions, endSessions, endSessionsThrough };

/** The changes of an account that are mailed to its owner. */
export type AccountChange =
  | `password_${'changed' | 'reset' | 'set' | 'reset_on_server'}`
  | `two_factor_${'on' | 'off' | 'reset' | 'reset_only'}`
  | 'recovery_codes_renewed'
  | `passkey_${'added' | 'removed'}`
  | `outside_${'bound' | 'unbound'}`;

/** Mails to the owner of an account whose credentials changed. */
export interface OwnerLetters {
  /**
   * Call it in the transaction of the change, then `wake`. `address` is the caller's; leave an administrator's out.
   * `provider` is that of the bound or unbound account. An account without an email address gets no mail.
   */
  put(
    db: Kysely<Schema>,
    userId: number,
    change: AccountChange,
    address?: string,
    provider?: string,
  ): Promise<void>;
  wake(): void;
}

export interface SecondFactor {
  isOn(userId: number): Promise<boolean>;
  /** Uses a TOTP or recovery code; throws when it is wrong or was used before. */
  spend(userId: number, code: string, context: RequestContext): Promise<void>;
}

/**
 * For the deletion of a person's account, in its transaction: ends the memberships, or refuses the only owner of an organization.
 * Announce the ids under `organizations` after the commit.
 */
export type LeaveOrganizations = (
  transaction: Transaction<Schema>,
  actor: Actor,
  userId: number,
) => Promise<number[]>;

/** The organization that lets this person sign in only through its provider; owners keep their other ways. */
export type RequiredSignOn = (
  userId: number,
) => Promise<{ organizationId: number; name: string; role: OrganizationRole } | undefined>;

/** The ways to sign in to an account. */
export interface WaysIn {
  /** Locks the user's row: two removals at the same time would each count the other's way as remaining. */
  lock(transaction: Transaction<Schema>, userId: number): Promise<Row<'users'>>;
  /** Whether one remains without this one, or without every passkey. `user` is a locked row. */
  hasOther(
    transaction: Transaction<Schema>,
    user: Row<'users'>,
    than: { provider: OutsideProvider } | { passkeyId: number } | 'passkeys',
  ): Promise<boolean>;
}

/** Counted and slowed down like a sign-in; throws when there were too many tries. */
export type IsOwnPassword = (password: string, context: RequestContext) => Promise<boolean>;

/** Ends what else opens the account: the system access token and the admin keys. Whoever took one must not keep it. */
export async function endProgramAccess(
  transaction: Transaction<Schema>,
  userId: number,
): Promise<{ accessTokens: number; adminKeys: number }> {
  const accessTokens = await changeUsers(
    transaction,
    (builder) => builder('id', '=', userId).and('access_token_digest', 'is not', null),
    { access_token_digest: null },
  );
  return { accessTokens, adminKeys: await removeKeysOf(transaction, userId) };
}

/** Writes these columns and ends every session, access token and admin key of the user. Announce `users` after the commit. */
export async function changeAndSignOut(
  transaction: Transaction<Schema>,
  userId: number,
  columns: UserColumns,
): Promise<void> {
  await transaction
    .updateTable('users')
    .set((column) => ({ ...columns, auth_version: column('auth_version', '+', 1) }))
    .where('id', '=', userId)
    .execute();
  await endSessions(transaction, userId);
  await endProgramAccess(transaction, userId);
}

/** The step-up of endpoints where only some actions need it. A system access token needs none: it has no open browser. */
export function requireStepUp({ via, verifiedAt }: RequestContext): void {
  if (via === 'session' && unixSeconds() - verifiedAt >= STEP_UP_SECONDS)
    throw new AppError('step_up_required');
}

/** An amount of more than this many units of currency needs a step-up. */
const STEP_UP_UNITS = 100;

/** Before an administrator makes quota from nothing, or takes it. */
export function requireStepUpForQuota(context: RequestContext, quota: number, quotaPerUnit: number): void {
  if (Math.abs(quota) > STEP_UP_UNITS * quotaPerUnit) requireStepUp(context);
}
