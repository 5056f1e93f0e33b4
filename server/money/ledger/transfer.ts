// Money that enters, leaves or moves without a call: top-ups, codes, sign-up gifts, invite rewards, dividends, an admin's correction.
// One ledger row per idempotency key; the balance it projects to changes in the same transaction.
import { sql, type Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import { insertLogs } from './log-rows.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Account, Transfer, TransferResult } from './ledger.ts';
import type { LedgerEntry } from './engine/rows.ts';
import { planAccount } from './engine/subscriptions.ts';
import { maximumAmount, requireAmount } from '#server/money/quota-units.ts';

type Dialect = 'sqlite' | 'postgres';

export async function applyTransfer(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  transfer: Transfer,
): Promise<TransferResult> {
  const { idem, userId, from, to, kind, reference } = transfer;
  const amount = requireAmount(transfer.amount, 'transfer');
  if (amount === 0 || from === to || idem === '')
    throw new RangeError('a transfer moves something between two accounts');
  const user = await lockUserRow(transaction, dialect, userId);
  if (user === undefined) return { ok: false, reason: 'user_missing' };
  if (await isBooked(transaction, idem, userId, amount)) {
    const { quota, aff_quota: affQuota, dividend_quota: dividendQuota } = user;
    return { ok: true, duplicate: true, quota, affQuota, dividendQuota };
  }

  const subscriptionId = subscriptionOf(from) ?? subscriptionOf(to);
  const subscription =
    subscriptionId === undefined
      ? undefined
      : await lockSubscription(transaction, dialect, subscriptionId, userId);
  if (subscriptionId !== undefined && subscription === undefined)
    return { ok: false, reason: 'subscription_missing' };
  const planChange = subscription === undefined ? 0 : change(planAccount(subscription.id), from, to, amount);
  const planQuota = (subscription?.quota ?? 0) + planChange;
  const quotaChange = change('user', from, to, amount);
  const affChange = change('aff', from, to, amount);
  const dividendChange = change('agent', from, to, amount);
  const quota = user.quota + quotaChange;
  const affQuota = user.aff_quota + affChange;
  const dividendQuota = user.dividend_quota + dividendChange;
  // What running calls hold is promised to them already.
  if (quota < user.held_quota || affQuota < 0 || dividendQuota < 0)
    return { ok: false, reason: 'insufficient_quota' };
  if (planQuota < (subscription?.held ?? 0)) return { ok: false, reason: 'insufficient_quota' };
  if (Math.max(quota, affQuota, planQuota, dividendQuota) > maximumAmount)
    return { ok: false, reason: 'over_limit' };

  const at = transfer.at ?? unixSeconds();
  const [debit, credit] = [accountName(from, userId), accountName(to, userId)];
  await insertEntry(transaction, { idem, at, userId, debit, credit, amount, kind, reference });
  await transaction
    .updateTable('users')
    .set({
      quota: sql<number>`quota + ${quotaChange}`,
      aff_quota: sql<number>`aff_quota + ${affChange}`,
      aff_history_quota: sql<number>`aff_history_quota + ${Math.max(0, affChange)}`,
      dividend_quota: sql<number>`dividend_quota + ${dividendChange}`,
    })
    .where('id', '=', userId)
    .execute();
  if (subscription !== undefined) {
    await transaction
      .updateTable('subscriptions')
      .set({ quota: planQuota })
      .where('id', '=', subscription.id)
      .execute();
  }
  if (transfer.log !== undefined) {
    await insertLogs(transaction, [{ ...transfer.log, created_at: at, request_id: '' }]);
  }
  return { ok: true, duplicate: false, quota, affQuota, dividendQuota };
}

/** Writes the row only: balances are the caller's. */
export async function insertEntry(
  transaction: Transaction<Schema>,
  { at: created_at, userId: user_id, debit: debit_account, credit: credit_account, ...entry }: LedgerEntry,
): Promise<void> {
  const row = { ...entry, created_at, user_id, debit_account, credit_account };
  await transaction.insertInto('ledger').values(row).execute();
}

/** Transfers of one user wait for each other and for the batch that settles the user's calls. */
async function lockUserRow(transaction: Transaction<Schema>, dialect: Dialect, userId: number) {
  const query = transaction
    .selectFrom('users')
    .select(['quota', 'held_quota', 'aff_quota', 'dividend_quota'])
    .where('id', '=', userId);
  return query.$call(forNoKeyUpdate({ dialect })).executeTakeFirst();
}

/** After the user, as the batches of calls lock them. */
async function lockSubscription(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  id: number,
  userId: number,
) {
  const query = transaction
    .selectFrom('subscriptions')
    .select(['id', 'quota', 'held'])
    .where('id', '=', id)
    .where('user_id', '=', userId);
  return query.$call(forNoKeyUpdate({ dialect })).executeTakeFirst();
}

function subscriptionOf(account: Account): number | undefined {
  return account.startsWith('plan:') ? Number(account.slice('plan:'.length)) : undefined;
}

async function isBooked(transaction: Transaction<Schema>, idem: string, userId: number, amount: number) {
  const entry = await transaction
    .selectFrom('ledger')
    .select(['user_id', 'amount'])
    .where('idem', '=', idem)
    .executeTakeFirst();
  if (entry === undefined) return false;
  // The same key for another transfer is a fault of the caller and must not look like success.
  if (entry.user_id !== userId || entry.amount !== amount)
    throw new Error(`the key ${idem} was used for another transfer`);
  return true;
}

/** Accounts of a user with a balance in the user's row. */
const OWN_ACCOUNTS: readonly Account[] = ['user', 'aff', 'agent'];

function change(account: Account, from: Account, to: Account, amount: number): number {
  if (to === account) return amount;
  return from === account ? -amount : 0;
}

function accountName(account: Account, userId: number): string {
  return OWN_ACCOUNTS.some((own) => own === account) ? `${account}:${userId}` : account;
}
