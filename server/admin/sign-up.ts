// What every new account needs, however it is created: a free name, an invite code, the starting quota and the rewards of
// an invitation. The inviter's reward is credited to the invite earnings; the inviter moves it to the balance later.
import { sql, type Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { invalidField } from '#contract/problem-words.ts';
import type { Settings } from '#contract/settings.ts';
import { TOP_UP_KIND } from '#server/money/ledger/idempotency.ts';
import type { Ledger, Transfer } from '#server/money/ledger/ledger.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { insertUser } from './write-user.ts';

export interface Person {
  id: number;
  username: string;
}

export interface SignUpParts {
  ledger: Pick<Ledger, 'transferWithin'>;
  settings: {
    readonly current: Pick<
      Settings,
      'InviteRewardAfterTopUp' | 'QuotaForNewUser' | 'QuotaForInvitee' | 'QuotaForInviter'
    >;
  };
}

/** Deleted accounts keep their name, so that a new user cannot pose as the old one. */
export async function isNameTaken({ db }: Pick<Store, 'db'>, username: string): Promise<boolean> {
  const taken = await db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(username)`, '=', sql`lower(${username})`)
    .executeTakeFirst();
  return taken !== undefined;
}

/** Accounts of organizations begin with it: no person can be taken for one. Names from before are kept. */
export function refuseReservedName(username: string): void {
  if (username.startsWith('@')) throw invalidField('username', 'begins_with_at');
}

export const nameTaken = () => new AppError('username_taken', {}, { field: 'username' });

/** For `catch`: of two concurrent requests for one name the unique index refuses one. */
export function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error, 'username') ? nameTaken() : error;
}

/** The user with this invite code. */
export async function inviterOf({ db }: Pick<Store, 'db'>, code: string): Promise<Person | undefined> {
  if (code === '') return undefined;
  return await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('aff_code', '=', code)
    .where('kind', '=', 'person')
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

interface Grant extends Pick<Transfer, 'idem' | 'to' | 'kind'> {
  user: Person;
  amount: number;
  content: string;
  /** The new account that the grant is for. */
  reference: string;
}

async function book({ ledger }: SignUpParts, transaction: Transaction<Schema>, grant: Grant): Promise<void> {
  const { user, amount, content, ...transfer } = grant;
  if (amount <= 0) return;
  const log = { type: LOG_TYPE.system, user_id: user.id, username: user.username, quota: amount, content };
  const booked = await ledger.transferWithin(transaction, {
    ...transfer,
    userId: user.id,
    amount,
    from: 'world:signup',
    log,
  });
  if (!booked.ok) throw new Error(`the ${transfer.kind} grant could not be booked: ${booked.reason}`);
}

const rewardIdem = (userId: number) => `inviter:${userId}`;

function bookReward(parts: SignUpParts, transaction: Transaction<Schema>, inviter: Person, userId: number) {
  const { QuotaForInviter: amount } = parts.settings.current;
  return book(parts, transaction, {
    user: inviter,
    amount,
    content: factText('inviteReward', { quota: amount }),
    idem: rewardIdem(userId),
    to: 'aff',
    kind: 'inviter',
    reference: `user:${userId}`,
  });
}

/** An account with its starting quota and the rewards of the invitation; its id. */
export async function createAccount(
  parts: SignUpParts,
  transaction: Transaction<Schema>,
  columns: Parameters<typeof insertUser>[1],
  inviter?: Person,
): Promise<number> {
  const id = await insertUser(transaction, { ...columns, inviter_id: inviter?.id ?? 0 });
  await grantSignUpQuota(parts, transaction, { id, username: columns.username }, inviter);
  return id;
}

async function grantSignUpQuota(
  parts: SignUpParts,
  transaction: Transaction<Schema>,
  user: Person,
  inviter: Person | undefined,
): Promise<void> {
  const { QuotaForNewUser, QuotaForInvitee, InviteRewardAfterTopUp } = parts.settings.current;
  const reference = `user:${user.id}`;
  await book(parts, transaction, {
    user,
    amount: QuotaForNewUser,
    content: factText('signUp'),
    idem: `signup:${user.id}`,
    to: 'user',
    kind: 'signup',
    reference,
  });
  if (!inviter) return;
  await book(parts, transaction, {
    user,
    amount: QuotaForInvitee,
    content: factText('invited'),
    idem: `invitee:${user.id}`,
    to: 'user',
    kind: 'invitee',
    reference,
  });
  if (!InviteRewardAfterTopUp) await bookReward(parts, transaction, inviter, user.id);
  await transaction
    .updateTable('users')
    .set((column) => ({ aff_count: column('aff_count', '+', 1) }))
    .where('id', '=', inviter.id)
    .execute();
}

/**
 * Pays the inviter of a user whose first paid order was just booked, if the operator pays rewards only then. Call it in the
 * transaction of the order, after its transfer: that transfer locks the user, so of two simultaneous orders one is the first.
 */
export async function rewardInviterAfterTopUp(
  parts: SignUpParts,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<void> {
  if (!parts.settings.current.InviteRewardAfterTopUp) return;
  const { topUps } = await transaction
    .selectFrom('ledger')
    .select((builder) => builder.fn.countAll<number>().as('topUps'))
    .where('user_id', '=', userId)
    .where('kind', '=', TOP_UP_KIND)
    // The same condition as the index of the ledger's rows by user.
    .where('kind', '<>', 'use')
    .executeTakeFirstOrThrow();
  const { planOrders } = await transaction
    .selectFrom('orders')
    .select((builder) => builder.fn.countAll<number>().as('planOrders'))
    .where('user_id', '=', userId)
    .where('plan_id', '>', 0)
    .where('status', 'in', ['paid', 'refunded'])
    .executeTakeFirstOrThrow();
  if (topUps + planOrders !== 1) return;
  const inviter = await transaction
    .selectFrom('users')
    .innerJoin('users as inviter', 'inviter.id', 'users.inviter_id')
    .select(['inviter.id', 'inviter.username'])
    .where('users.id', '=', userId)
    // The payment of a deleted account is paid back.
    .where('users.deleted_at', 'is', null)
    .where('inviter.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!inviter) return;
  // Paid at the registration, before the operator changed the setting.
  const paid = await transaction
    .selectFrom('ledger')
    .select('id')
    .where('idem', '=', rewardIdem(userId))
    .executeTakeFirst();
  if (!paid) await bookReward(parts, transaction, inviter, userId);
}
