// Online top-up: its price, placing an order, and what administrators do with orders.
import { accountOf, callerOf, type Handler, type Handlers } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { wordsInBoth } from '#contract/facts.ts';
import type { orders, TopUpInfo } from '#contract/money/orders.ts';
import {
  addEvent,
  beginRefund,
  creditOrder,
  currencyDigits,
  finishRefund,
  groupRatioOf,
  lockOrder,
  minimumOf,
  moneyText,
  placeOrder,
  priceOf,
  unitQuotaOf,
  type Order,
  type PaymentParts,
} from '#server/money/payments/index.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { announcePlan } from './announce-plan.ts';
import { endRefund } from './end-refund.ts';
import { listAll, listOwn, readAny, readOwn } from './list.ts';
import { orderPage } from './page.ts';
import { readAdminView } from './view.ts';

export function createOrderHandlers(parts: PaymentParts): Handlers<typeof orders> {
  const { store } = parts;
  return {
    info: (_, context) => infoFor(parts, accountOf(context).group),
    amount: ({ body }, context) => {
      const quote = priceOf(parts, accountOf(context), requestOf(body));
      const { amountMinor: amount_minor, currency, quota } = quote;
      return {
        data: moneyText(amount_minor, currency),
        message: 'success',
        amount_minor,
        currency,
        currency_digits: currencyDigits(currency),
        quota,
      };
    },
    pay: async ({ body }, context) => {
      const { fields, url, tradeNo } = await placeOrder(parts, accountOf(context), requestOf(body));
      return { data: fields, message: 'success', url, trade_no: tradeNo };
    },
    own: listOwn(store),
    ownOne: readOwn(store),
    list: listAll(store),
    read: readAny(parts),
    page: orderPage(parts),
    complete: complete(parts),
    refund: refund(parts),
    endRefund: endRefund(parts),
  };
}

function requestOf(body: Input<typeof orders.amount>['body']) {
  return { amount: body.amount, method: body.payment_method, promotion: body.top_up_code ?? '' };
}

function infoFor({ providers, settings }: PaymentParts, group: string): TopUpInfo {
  const { current } = settings;
  const methods = providers.methods().map(({ name, provider, currency }) => ({
    name,
    provider: provider.name,
    currency,
    currency_digits: currencyDigits(currency),
  }));
  const unitsPerDollar = current.QuotaPerUnit / unitQuotaOf(current);
  return {
    enabled: methods.length > 0,
    methods,
    min_topup: minimumOf(current),
    unit_quota: unitQuotaOf(current),
    presets: current.TopUpPresets.map(({ amount, discount = 1 }) => ({
      amount: Math.round(amount * unitsPerDollar),
      discount,
    })).filter(({ amount }) => amount >= minimumOf(current)),
    group_ratio: groupRatioOf(current, group),
  };
}

/** For a payment the provider confirms by other means: the operator vouches for it. */
function complete(parts: PaymentParts): Handler<typeof orders.complete> {
  return async ({ params, body }, context) => {
    const { username } = callerOf(context);
    const order = await parts.store.db.transaction().execute(async (transaction) => {
      const found = await lockOrder(parts.store, transaction, 'id', params.id);
      if (found === undefined) throw new AppError('not_found');
      if (found.status !== 'pending' && found.status !== 'expired') throw new AppError('order_not_payable');
      await addEvent(transaction, found.id, 'completed', `${username}: ${body.reason}`);
      const paid = await creditOrder(parts, transaction, found, { reference: '', payer: '' });
      await refuseDeletedPayer(transaction, found.user_id);
      await context.audit(transaction, 'order.complete', `order:${found.id}`, auditedOrder(found), {
        ...auditedOrder(paid),
        reason: body.reason,
      });
      return paid;
    });
    await announcePlan(parts.store, order);
    return await readAdminView(parts.store, order.id);
  };
}

/**
 * A deleted account could not use the credit, and without a report of the provider there is nothing to pay back. Call it after
 * the credit, which has locked the payer; the refusal undoes the credit.
 */
async function refuseDeletedPayer(transaction: Transaction<Schema>, userId: number): Promise<void> {
  const { deleted_at } = await transaction
    .selectFrom('users')
    .select('deleted_at')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (deleted_at !== null) throw new AppError('user_is_deleted');
}

function refund(parts: PaymentParts): Handler<typeof orders.refund> {
  return async ({ params, body }, context) => {
    const { id: actorId } = callerOf(context);
    const { amount_minor, reason, request_id, at_provider } = body;
    const order = await parts.store.db
      .selectFrom('orders')
      .select(['user_id', 'currency'])
      .where('id', '=', params.id)
      .executeTakeFirst();
    if (order !== undefined) await parts.ledger.writeHolds(order.user_id);
    // The provider pays after this: the quota must be taken back on the standby too.
    const begun = await parts.store.confirmedDb.transaction().execute(async (transaction) => {
      const { refund: booked, isNew } = await beginRefund(parts, transaction, {
        orderId: params.id,
        amountMinor: amount_minor,
        reason,
        requestId: request_id,
        actorId,
        atProvider: at_provider,
      });
      if (isNew)
        await context.audit(transaction, 'order.refund', `order:${params.id}`, undefined, {
          amount_minor,
          currency: order?.currency,
          quota: booked.quota,
          reason,
          at_provider,
        });
      return { ...booked, isNew };
    });
    const { status } = await finishRefund(parts, begun.id, begun.isNew);
    await announcePlan(parts.store, await readAdminView(parts.store, params.id));
    if (status === 'failed')
      throw new AppError('refund_failed', { detail: wordsInBoth(await lastDetail(parts, params.id)) });
    return { ...(await readAdminView(parts.store, params.id)), refund_status: status };
  };
}

async function lastDetail({ store }: PaymentParts, orderId: number): Promise<string> {
  const event = await store.db
    .selectFrom('order_events')
    .select('detail')
    .where('order_id', '=', orderId)
    .where('kind', '=', 'refund_failed')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return event?.detail ?? '';
}

function auditedOrder({ trade_no, user_id, status, quota, amount_minor, currency }: Order) {
  return { trade_no, user_id, status, quota, amount_minor, currency };
}
