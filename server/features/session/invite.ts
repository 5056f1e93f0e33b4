// The starting quota of a new account and the rewards of an invitation. The inviter's reward is credited to the invite
// earnings; the inviter moves it to the balance later.
import { randomInt } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Transfer } from '#server/billing/ledger.ts';
import type { Schema } from '#server/store/schema.ts';
import type { SessionDependencies } from './dependencies.ts';

interface Person {
  id: number;
  username: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CODE_LENGTH = 8;
const LOG_TYPE_SYSTEM = 4;

export function newInviteCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export async function grantSignUpQuota(
  { ledger, settings }: Pick<SessionDependencies, 'ledger' | 'settings'>,
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
    const log = { type: LOG_TYPE_SYSTEM, user_id: to.id, username: to.username, quota: amount, content };
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
