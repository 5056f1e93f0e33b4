// Lists and reads orders: a user's own, and all of them for administrators.
import { sql } from 'kysely';
import { accountOf, type Handler } from '#server/admin/context.ts';
import type { Input, Output } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { orders, RefundView } from '#contract/money/orders.ts';
import { quotaLeft } from '#contract/money/refund-amounts.ts';
import { heldByCalls } from '#server/money/ledger/held-by-calls.ts';
import {
  currencyDigits,
  isRefundEndable,
  type PaymentParts,
  type Refund,
} from '#server/money/payments/index.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Store } from '#server/platform/store/store.ts';
import { adminOrderViewOf, orderViewOf } from './view.ts';

const total = sql<number>`count(*)`.as('total');

export function listOwn(store: Store): Handler<typeof orders.own> {
  return async ({ query }, context) => {
    const pageSize = pageSizeOf(query);
    let rows = store.db.selectFrom('orders').where('user_id', '=', accountOf(context).id);
    if (query.status !== undefined) rows = rows.where('status', '=', query.status);
    const [items, count] = await Promise.all([
      rows
        .selectAll()
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      rows.select(total).executeTakeFirstOrThrow(),
    ]);
    return { items: items.map(orderViewOf), total: count.total, page: query.p, page_size: pageSize };
  };
}

export function readOwn(store: Store): Handler<typeof orders.ownOne> {
  return async ({ params }, context) => {
    const order = await store.db
      .selectFrom('orders')
      .selectAll()
      .where('trade_no', '=', params.trade_no)
      .where('user_id', '=', accountOf(context).id)
      .executeTakeFirst();
    if (order === undefined) throw new AppError('not_found');
    return orderViewOf(order);
  };
}

type Filter = Input<typeof orders.list>['query'];

function matching(store: Store, query: Filter) {
  const { status, provider, keyword, start_timestamp: start, end_timestamp: end } = query;
  let rows = store.db.selectFrom('orders').leftJoin('users', 'users.id', 'orders.user_id');
  if (status !== undefined) rows = rows.where('orders.status', '=', status);
  if (provider !== undefined) rows = rows.where('orders.provider', '=', provider);
  if (start !== undefined) rows = rows.where('orders.created_at', '>=', start);
  if (end !== undefined) rows = rows.where('orders.created_at', '<=', end);
  if (keyword === '') return rows;
  return rows.where((eb) =>
    eb.or([
      eb('orders.trade_no', '=', keyword),
      eb('orders.provider_reference', '=', keyword),
      containsText('users.username', keyword),
      ...(/^\d{1,15}$/.test(keyword) ? [eb('orders.user_id', '=', Number(keyword))] : []),
    ]),
  );
}

export function listAll(store: Store): Handler<typeof orders.list> {
  return async ({ query }) => {
    const pageSize = pageSizeOf(query);
    const rows = matching(store, query);
    const [items, count, paid] = await Promise.all([
      rows
        .selectAll('orders')
        .select(sql<string>`coalesce(users.username, '')`.as('username'))
        .orderBy('orders.id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      rows.select(total).executeTakeFirstOrThrow(),
      rows
        .where('orders.status', 'in', ['paid', 'refunded'])
        .groupBy('orders.currency')
        .select([
          'orders.currency',
          sql<number>`sum(orders.amount_minor - orders.refunded_minor)`.as('amount_minor'),
          sql<number>`sum(orders.quota - orders.refunded_quota)`.as('quota'),
        ])
        .execute(),
    ]);
    return {
      items: items.map(adminOrderViewOf),
      total: count.total,
      page: query.p,
      page_size: pageSize,
      paid: paid.map(({ currency, amount_minor }) => ({
        currency,
        currency_digits: currencyDigits(currency),
        amount_minor: amount_minor,
      })),
      paid_quota: paid.reduce((sum, { quota }) => sum + quota, 0),
    };
  };
}

export function readAny(parts: PaymentParts): Handler<typeof orders.read> {
  return ({ params }, context) => readOrder(parts, params.id, context.language);
}

/** An order with its events, refunds, and what a refund could take from the balance. */
export async function readOrder(
  parts: PaymentParts,
  id: number,
  language: Language,
): Promise<Output<typeof orders.read>> {
  const { db } = parts.store;
  const order = await db
    .selectFrom('orders')
    .leftJoin('users', 'users.id', 'orders.user_id')
    .selectAll('orders')
    .select([
      sql<string>`coalesce(users.username, '')`.as('username'),
      sql<number>`coalesce(users.quota - (${heldByCalls}), 0)`.as('free'),
    ])
    .where('orders.id', '=', id)
    .executeTakeFirst();
  if (order === undefined) throw new AppError('not_found');
  const [events, refunds] = await Promise.all([
    db
      .selectFrom('order_events')
      .select(['created_at', 'kind', 'detail'])
      .where('order_id', '=', id)
      .orderBy('id')
      .limit(500)
      .execute(),
    db.selectFrom('refunds').selectAll().where('order_id', '=', id).orderBy('id').execute(),
  ]);
  const refundable = order.status === 'paid' ? quotaLeft(order) : 0;
  return {
    ...adminOrderViewOf(order),
    events: events.map(({ detail, ...event }) => ({
      ...event,
      detail: wordsIn(language, detail),
    })) as Output<typeof orders.read>['events'],
    refunds: refunds.map((refund) => refundViewOf(parts, refund, order.provider)),
    refundable_quota: Math.max(0, Math.min(refundable, order.free)),
  };
}

function refundViewOf(parts: PaymentParts, refund: Refund, provider: string): RefundView {
  const { id, created_at, amount_minor, quota, status, reason } = refund;
  const can_end = isRefundEndable(parts, refund, provider);
  const is_accepted = refund.provider_reference !== '';
  return { id, created_at, amount_minor, quota, status, reason, is_accepted, can_end };
}
