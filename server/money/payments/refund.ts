// A refund takes the quota back first, then the provider pays: so the balance can never be short of it. If the provider
// refuses, a second entry gives the quota back. The outcome "unknown" leaves the refund pending; a job asks again where the
// provider recognises the repetition, else an administrator decides.
import type { Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { factText } from '#contract/facts.ts';
import { minorLeft, quotaOfRefund } from '#contract/money/refund-amounts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { unixSeconds } from '#contract/time.ts';
import { refundIdem, REFUND_KIND, REFUND_REVERSED_KIND } from '#server/money/ledger/idempotency.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { alertOperators } from './alert.ts';
import { moneyText } from './currency.ts';
import { addEvent, knownPayment, lockOrder, lockPayer, type Order } from './order-rows.ts';
import { type PaymentParts } from './parts.ts';
import { changePlanOfRefund } from './plan-orders.ts';
import { tellRefundFailed } from './tell.ts';

export interface RefundRequest {
  orderId: number;
  amountMinor: number;
  reason: string;
  requestId: string;
  actorId: number;
  atProvider: boolean;
}

export type Refund = Row<'refunds'>;

/** Request ids of refunds that the payer's bank made begin with it. */
export const DISPUTE_REFUND_PREFIX = 'dispute:';

/** A refund is left to the call that began it for so long. */
export const REFUND_WAIT_SECONDS = 120;

/** Books the refund in the transaction of the caller. The same request id again changes nothing. */
export async function beginRefund(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  request: RefundRequest,
): Promise<{ refund: Refund; isNew: boolean }> {
  const { orderId, amountMinor, reason, requestId, actorId, atProvider } = request;
  const order = await lockOrder(parts.store, transaction, 'id', orderId);
  if (order === undefined) throw new AppError('not_found');
  const known = await transaction
    .selectFrom('refunds')
    .selectAll()
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  if (known !== undefined) {
    if (known.order_id === orderId && known.amount_minor === amountMinor)
      return { refund: known, isNew: false };
    throw invalidField('request_id', 'other_request');
  }
  if (order.status !== 'paid') throw new AppError('order_not_payable');
  const left = minorLeft(order);
  if (amountMinor > left)
    throw new AppError(
      'refund_too_large',
      { amount: moneyText(left, order.currency) },
      { field: 'amount_minor' },
    );
  const refund = await bookRefund(parts, transaction, order, {
    request_id: requestId,
    amount_minor: amountMinor,
    quota: quotaOfRefund(order, amountMinor),
    status: atProvider ? 'pending' : 'done',
    reason,
    actor_id: actorId,
  });
  const kind = atProvider ? 'refund_begun' : 'refund_done';
  await addEvent(transaction, orderId, kind, moneyText(amountMinor, order.currency));
  return { refund, isNew: true };
}

type RefundValues = Pick<
  Refund,
  'request_id' | 'amount_minor' | 'quota' | 'status' | 'reason' | 'actor_id'
> & { provider_reference?: string };

/** Takes the quota back and counts the refund on the order, which is locked. */
export async function bookRefund(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  values: RefundValues,
): Promise<Refund> {
  const refund = await transaction
    .insertInto('refunds')
    .values({ ...values, order_id: order.id, user_id: order.user_id, created_at: unixSeconds() })
    .returningAll()
    .executeTakeFirstOrThrow();
  await moveQuota(parts, transaction, order, refund, 'back');
  await changeRefunded(parts, transaction, order, refund, 'back');
  return refund;
}

/**
 * Asks the provider to pay, and records the outcome. A refund that was sent before is sent again only to a provider that
 * recognises the repetition: another one would pay twice.
 */
export async function finishRefund(parts: PaymentParts, refundId: number, isNew = false): Promise<Refund> {
  const { store, providers, log } = parts;
  const refund = await store.db
    .selectFrom('refunds')
    .selectAll()
    .where('id', '=', refundId)
    .executeTakeFirstOrThrow();
  if (refund.status !== 'pending') return refund;
  const order = await store.db
    .selectFrom('orders')
    .selectAll()
    .where('id', '=', refund.order_id)
    .executeTakeFirstOrThrow();
  const provider = providers.byName(order.provider);
  if (provider === undefined || provider.methods().length === 0) return refund;
  if (!isNew && !provider.isRefundRepeatable) return refund;
  const wanted = {
    id: refund.request_id,
    amountMinor: refund.amount_minor,
    reference: refund.provider_reference,
    isRepeated: !isNew,
  };
  const outcome = await provider.refund(knownPayment(order), wanted);
  if (outcome.kind === 'unknown') {
    log.error('the outcome of a refund is not known', { trade_no: order.trade_no, detail: outcome.detail });
    await alertOperators(store.db, order.trade_no, factText('refundUnknown', { id: refund.id }));
    return refund;
  }
  return await store.db.transaction().execute(async (transaction) => {
    if (outcome.kind === 'pending') return await noteAccepted(parts, transaction, refund, outcome.reference);
    const ending =
      outcome.kind === 'done'
        ? { isPaidBack: true, detail: outcome.reference, reference: outcome.reference }
        : { isPaidBack: false, detail: outcome.detail };
    const { refund: ended, isEnded } = await endRefundWithin(parts, transaction, refund.id, ending);
    // The administrator who began it sees its answer; later nobody does.
    if (isEnded && !ending.isPaidBack && !isNew)
      await tellRefundFailed(transaction, order, ended, ending.detail);
    return ended;
  });
}

/** The provider has taken the refund and will pay, or say that it could not. */
export async function noteAccepted(
  { store }: PaymentParts,
  transaction: Transaction<Schema>,
  { id, order_id }: Pick<Refund, 'id' | 'order_id'>,
  reference: string,
): Promise<Refund> {
  await lockOrder(store, transaction, 'id', order_id);
  const refund = await transaction
    .selectFrom('refunds')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (refund.provider_reference !== '') return refund;
  const provider_reference = reference.slice(0, 200);
  await transaction.updateTable('refunds').set({ provider_reference }).where('id', '=', id).execute();
  if (refund.status === 'pending') await addEvent(transaction, order_id, 'refund_pending', reference);
  return { ...refund, provider_reference };
}

export interface RefundEnding {
  isPaidBack: boolean;
  /** For the events of the order. */
  detail: string;
  /** The provider's number of the refund. */
  reference?: string;
  /** The provider says that a refund it had paid came back: also one that is done fails then. */
  isAfterDone?: boolean;
}

/**
 * Whether an administrator may decide how a refund ended. Not while the call that began it may still be asking the provider,
 * and not where a job asks the provider again.
 */
export function isRefundEndable({ providers }: PaymentParts, refund: Refund, providerName: string): boolean {
  const isRunning = refund.created_at > unixSeconds() - REFUND_WAIT_SECONDS;
  const isRepeated = providers.byName(providerName)?.isRefundRepeatable === true;
  return refund.status === 'pending' && !isRunning && !isRepeated;
}

/** Ends a pending refund: paid back, or not, and then the quota returns to the user. */
export async function endRefundWithin(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  refundId: number,
  { isPaidBack, detail, reference = '', isAfterDone = false }: RefundEnding,
): Promise<{ refund: Refund; isEnded: boolean }> {
  const { order_id } = await transaction
    .selectFrom('refunds')
    .select('order_id')
    .where('id', '=', refundId)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  const order = await lockOrder(parts.store, transaction, 'id', order_id);
  if (order === undefined) throw new AppError('not_found');
  const refund = await transaction
    .updateTable('refunds')
    .set(
      isPaidBack
        ? { status: 'done' as const, provider_reference: reference.slice(0, 200) }
        : { status: 'failed' as const },
    )
    .where('id', '=', refundId)
    .where('status', 'in', isAfterDone ? ['pending', 'done'] : ['pending'])
    .returningAll()
    .executeTakeFirst();
  // Another node ended it.
  if (refund === undefined) {
    const ended = await transaction
      .selectFrom('refunds')
      .selectAll()
      .where('id', '=', refundId)
      .executeTakeFirstOrThrow();
    return { refund: ended, isEnded: false };
  }
  if (!isPaidBack) {
    await moveQuota(parts, transaction, order, refund, 'again');
    await changeRefunded(parts, transaction, order, refund, 'again');
  }
  await addEvent(transaction, order.id, isPaidBack ? 'refund_done' : 'refund_failed', detail);
  return { refund, isEnded: true };
}

/** `back`: out of the user's balance. `again`: into it, after a refund that was refused. */
async function moveQuota(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  refund: Refund,
  direction: 'back' | 'again',
): Promise<void> {
  const { quota, user_id: userId } = refund;
  await lockPayer(parts.store, transaction, userId);
  if (order.plan_id > 0) await changePlanOfRefund(parts, transaction, order, refund, direction);
  if (quota === 0) return;
  const isBack = direction === 'back';
  const world = `world:topup:${order.provider}` as const;
  const result = await parts.ledger.transferWithin(transaction, {
    idem: refundIdem(refund.request_id, isBack),
    userId,
    amount: quota,
    from: isBack ? 'user' : world,
    to: isBack ? world : 'user',
    kind: isBack ? REFUND_KIND : REFUND_REVERSED_KIND,
    reference: order.trade_no,
    log: {
      type: LOG_TYPE.refund,
      user_id: userId,
      quota,
      content: factText(isBack ? 'refund' : 'refundRefused', { order: order.trade_no }),
    },
  });
  if (result.ok) return;
  if (result.reason !== 'insufficient_quota')
    throw new Error(`a refund of ${order.trade_no}: ${result.reason}`);
  const user = await transaction
    .selectFrom('users')
    .select(['quota', 'held_quota'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  throw new AppError('refund_quota_short', { quota, available: user.quota - user.held_quota });
}

async function changeRefunded(
  { afterRefund }: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  refund: Refund,
  direction: 'back' | 'again',
): Promise<void> {
  const sign = direction === 'back' ? 1 : -1;
  const refunded = order.refunded_minor + sign * refund.amount_minor;
  const changed = await transaction
    .updateTable('orders')
    .set({
      refunded_minor: refunded,
      refunded_quota: order.refunded_quota + sign * refund.quota,
      status: refunded === order.amount_minor ? 'refunded' : 'paid',
    })
    .where('id', '=', order.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  for (const then of afterRefund) await then(transaction, changed, refund, direction);
}
