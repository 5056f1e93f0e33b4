// A withdrawal: the amount leaves the dividend balance with the request. One conditional update decides each step
// (requested → approved → paid, or refused before it is paid); a refusal gives the amount back. The payment itself happens
// outside: an administrator pays and then says so.
import type { Transaction } from 'kysely';
import type { WithdrawalAction } from '#contract/money/resellers.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { renderQuota } from '#contract/money/quota-text.ts';
import { decimalOf, multiply, roundHalfUp } from '#contract/money/decimal.ts';
import { unixSeconds } from '#contract/time.ts';
import {
  withdrawalIdem,
  WITHDRAWAL_KIND,
  WITHDRAWAL_REFUSED_KIND,
} from '#server/money/ledger/idempotency.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { WithdrawalStatus } from '#server/platform/store/tables/agents.ts';
import { lockBalance, takeOwed } from './book.ts';
import { type AgentParts } from './parts.ts';

export type Withdrawal = Row<'withdrawals'>;

export interface WithdrawalRequest {
  user: { id: number; username: string };
  quota: number;
  method: string;
  account: string;
  requestId: string;
}

export function withdrawalTerms({ current }: AgentParts['settings']) {
  return {
    methods: current.WithdrawalMethods,
    minimum: Math.max(1, quotaOfDollars(current.WithdrawalMinimum, current.QuotaPerUnit)),
    feePercent: current.WithdrawalFeePercent,
  };
}

export function feeOf(quota: number, feePercent: number): number {
  const hundredths = multiply(decimalOf(quota), decimalOf(feePercent));
  return Number(roundHalfUp({ ...hundredths, scale: hundredths.scale + 2 }));
}

/** Takes the amount from the dividend balance. The same request id again changes nothing. */
export async function requestWithdrawal(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  { user, quota, method, account, requestId }: WithdrawalRequest,
): Promise<{ withdrawal: Withdrawal; isNew: boolean }> {
  const { methods, minimum, feePercent } = withdrawalTerms(parts.settings);
  // Requests of one agent wait for each other here, so the same request sent twice finds the first.
  await lockBalance(parts, transaction, user.id);
  const known = await transaction
    .selectFrom('withdrawals')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  if (known !== undefined) {
    const isSame = known.quota === quota && known.method === method && known.account === account;
    if (!isSame) throw invalidField('request_id', 'other_request');
    return { withdrawal: known, isNew: false };
  }
  if (!methods.includes(method)) throw new AppError('withdrawal_method_unknown', {}, { field: 'method' });
  if (quota < minimum)
    throw new AppError('withdrawal_too_small', { amount: amountText(parts, minimum) }, { field: 'quota' });
  const fee_quota = feeOf(quota, feePercent);
  if (fee_quota >= quota)
    throw new AppError('withdrawal_too_small', { amount: amountText(parts, quota + 1) }, { field: 'quota' });
  const withdrawal = await transaction
    .insertInto('withdrawals')
    .values({
      request_id: requestId,
      user_id: user.id,
      created_at: unixSeconds(),
      method,
      account,
      quota,
      fee_quota,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await move(parts, transaction, withdrawal, user.username, 'out');
  const amount = amountText(parts, quota);
  await raiseNotice(transaction, {
    event: 'withdrawal_requested',
    values: { username: user.username, amount },
    onceKey: `withdrawal_requested:${withdrawal.id}`,
  });
  return { withdrawal, isNew: true };
}

/** From which states an action leads to which. */
const STEPS: Record<
  WithdrawalAction,
  { from: WithdrawalStatus[]; to: Exclude<WithdrawalStatus, 'requested'> }
> = {
  approve: { from: ['requested'], to: 'approved' },
  pay: { from: ['approved'], to: 'paid' },
  refuse: { from: ['requested', 'approved'], to: 'refused' },
};

export interface Decision {
  action: WithdrawalAction;
  note: string;
  actorId: number;
}

export async function decideWithdrawal(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  id: number,
  { action, note, actorId }: Decision,
): Promise<Withdrawal> {
  const { from, to } = STEPS[action];
  const now = unixSeconds();
  const withdrawal = await transaction
    .updateTable('withdrawals')
    .set({
      status: to,
      decided_at: now,
      decided_by: actorId,
      ...(action === 'pay' ? { paid_at: now } : {}),
      ...(note === '' ? {} : { note }),
    })
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
  if (withdrawal === undefined) throw new AppError('withdrawal_decided');
  const { username } = await transaction
    .selectFrom('users')
    .select('username')
    .where('id', '=', withdrawal.user_id)
    .executeTakeFirstOrThrow();
  if (to === 'refused') await move(parts, transaction, withdrawal, username, 'back');
  await raiseNotice(transaction, {
    event: 'withdrawal_decided',
    userId: withdrawal.user_id,
    values: {
      decision: to,
      amount: amountText(parts, withdrawal.quota),
      reason: to === 'refused' ? note : '',
    },
    onceKey: `withdrawal_decided:${id}:${to}`,
  });
  return withdrawal;
}

/** `out`: from the dividend balance. `back`: into it, and what is owed goes first. */
async function move(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  { id, user_id: userId, quota }: Withdrawal,
  username: string,
  direction: 'out' | 'back',
): Promise<void> {
  const isOut = direction === 'out';
  const idem = withdrawalIdem(id, !isOut);
  const result = await parts.ledger.transferWithin(transaction, {
    idem,
    userId,
    amount: quota,
    from: isOut ? 'agent' : 'world:withdrawal',
    to: isOut ? 'world:withdrawal' : 'agent',
    kind: isOut ? WITHDRAWAL_KIND : WITHDRAWAL_REFUSED_KIND,
    reference: `withdrawal:${id}`,
    log: {
      type: LOG_TYPE.system,
      user_id: userId,
      username,
      quota,
      content: isOut ? factText('withdrawal', { quota }) : factText('withdrawalRefused', { quota }),
    },
  });
  if (!result.ok) {
    if (isOut) throw new AppError('dividend_quota_insufficient', {}, { field: 'quota' });
    throw new Error(`the withdrawal ${id} could not be given back: ${result.reason}`);
  }
  if (result.duplicate) throw new Error(`the withdrawal ${id} was booked before`);
  if (!isOut)
    await takeOwed(
      parts,
      transaction,
      { idem, agent_id: userId, customer_id: 0, level: 0, order_id: 0 },
      result.dividendQuota,
    );
}

function amountText({ settings: { current } }: AgentParts, quota: number): string {
  const { QuotaPerUnit: quotaPerUnit, DisplayInCurrencyEnabled: displayInCurrency } = current;
  return renderQuota(quota, { quotaPerUnit, displayInCurrency });
}
