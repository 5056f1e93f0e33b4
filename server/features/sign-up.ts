// What every new account needs, however it is created: a free name, an invite code, the starting quota and the rewards of
// an invitation. The inviter's reward is credited to the invite earnings; the inviter moves it to the balance later.
import { randomInt } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { LOG_TYPE } from '#contract/logs.ts';
import type { Settings } from '#contract/settings.ts';
import type { Ledger, Transfer } from '#server/billing/ledger.ts';
import { isUniqueViolation } from '#server/store/errors.ts';
import type { Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

export interface Person {
  id: number;
  username: string;
}

export interface SignUpParts {
  ledger: Pick<Ledger, 'transferWithin'>;
  settings: { readonly current: Pick<Settings, 'QuotaForNewUser' | 'QuotaForInvitee' | 'QuotaForInviter'> };
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CODE_LENGTH = 8;

export function newInviteCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
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
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

export async function grantSignUpQuota(
  { ledger, settings }: SignUpParts,
  transaction: Transaction<Schema>,
  user: Person,
  inviter: Person | undefined,
): Promise<void> {
  const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter } = settings.current;

  async function grant(
    to: Person,
    amount: number,
    content: string,
    transfer: Pick<Transfer, 'idem' | 'to' | 'kind'>,
  ) {
    if (amount <= 0) return;
    const log = { type: LOG_TYPE.system, user_id: to.id, username: to.username, quota: amount, content };
    const reference = `user:${user.id}`;
    const booked = await ledger.transferWithin(transaction, {
      ...transfer,
      userId: to.id,
      amount,
      from: 'world:signup',
      reference,
      log,
    });
    if (!booked.ok) throw new Error(`the ${transfer.kind} grant could not be booked: ${booked.reason}`);
  }

  await grant(user, QuotaForNewUser, `新用户注册赠送额度 / sign-up quota: ${QuotaForNewUser}`, {
    idem: `signup:${user.id}`,
    to: 'user',
    kind: 'signup',
  });
  if (!inviter) return;
  await grant(user, QuotaForInvitee, `使用邀请码赠送额度 / invited by a code: ${QuotaForInvitee}`, {
    idem: `invitee:${user.id}`,
    to: 'user',
    kind: 'invitee',
  });
  await grant(inviter, QuotaForInviter, `邀请用户赠送额度 / reward for an invitation: ${QuotaForInviter}`, {
    idem: `inviter:${user.id}`,
    to: 'aff',
    kind: 'inviter',
  });
  await transaction
    .updateTable('users')
    .set((column) => ({ aff_count: column('aff_count', '+', 1) }))
    .where('id', '=', inviter.id)
    .execute();
}
