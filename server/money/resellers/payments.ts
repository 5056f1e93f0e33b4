// Dividends on paid orders: paid in the transaction that credits the order, and taken back in the transaction of a refund.
// The base is the quota that the order froze.
import { sql, type Transaction } from 'kysely';
import { isAmount } from '#server/money/quota-units.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { payDividend, takeDividendBack } from './book.ts';
import type { AgentParts } from './parts.ts';
import { dividendOf } from './rate.ts';
import { sharesOf } from './shares.ts';

type Order = Row<'orders'>;
type Refund = Row<'refunds'>;

export async function payOrderDividends(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  order: Order,
): Promise<void> {
  const { current } = parts.settings;
  if (current.DividendBasis !== 'payment') return;
  const { id, user_id } = order;
  const quota = valueOf(order);
  const bases = sql`select ${sql.lit(user_id)} as user_id, ${sql.lit(quota)} as base`;
  for (const share of await sharesOf(transaction, bases, current)) {
    const { agent_id, customer_id, level, rate } = share;
    const amount = dividendOf(quota, rate);
    if (amount === 0) continue;
    await payDividend(parts, transaction, {
      idem: `dividend:order:${id}:${level}`,
      agent_id,
      customer_id,
      level,
      kind: 'payment',
      order_id: id,
      base_quota: quota,
      rate,
      amount,
    });
  }
}

/**
 * Takes back the part of the dividends that belongs to a refund; with the last part of the price goes what is left. `order`
 * is the order after the refund. Settings that changed since the payment do not matter: what was paid is taken back.
 */
export async function reverseOrderDividends(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  order: Order,
  refund: Refund,
): Promise<void> {
  for (const { earned, left } of await dividendsOf(transaction, order.id)) {
    const notRefunded = BigInt(order.amount_minor - order.refunded_minor);
    const kept = Number((BigInt(earned.amount) * notRefunded) / BigInt(order.amount_minor));
    const amount = left - kept;
    if (amount <= 0) continue;
    await takeDividendBack(parts, transaction, {
      ...eventOf(earned),
      idem: `dividend:refund:${refund.id}:${earned.level}`,
      kind: 'reversal',
      refund_id: refund.id,
      base_quota:
        refundedBase(order, order.refunded_minor) -
        refundedBase(order, order.refunded_minor - refund.amount_minor),
      amount,
    });
  }
}

/** The provider refused the refund: the agents get back what was taken for it. */
export async function restoreOrderDividends(
  parts: AgentParts,
  transaction: Transaction<Schema>,
  order: Order,
  refund: Refund,
): Promise<void> {
  const taken = await transaction
    .selectFrom('dividends')
    .selectAll()
    .where('order_id', '=', order.id)
    // Only reversals name it: a refund fails once, so nothing of it was given back before.
    .where('refund_id', '=', refund.id)
    .orderBy('agent_id')
    .execute();
  for (const reversal of taken)
    await payDividend(parts, transaction, {
      ...eventOf(reversal),
      idem: `dividend:refund:${refund.id}:${reversal.level}:restored`,
      kind: 'restored',
      refund_id: refund.id,
      base_quota: reversal.base_quota,
      amount: reversal.owed - reversal.amount,
    });
}

/** An order for a plan credits no quota: its value is the plan's price in quota, frozen in the order's terms. */
function valueOf({ quota, detail }: Order): number {
  if (quota > 0) return quota;
  const { plan } = JSON.parse(detail) as { plan?: { price_quota?: unknown } };
  const price = plan?.price_quota;
  return isAmount(price) ? price : 0;
}

/** The value that belongs to this part of the price. */
function refundedBase(order: Order, refundedMinor: number): number {
  return Number((BigInt(valueOf(order)) * BigInt(refundedMinor)) / BigInt(order.amount_minor));
}

const eventOf = ({ agent_id, customer_id, level, order_id, rate }: Row<'dividends'>) => ({
  agent_id,
  customer_id,
  level,
  order_id,
  rate,
});

/** Each dividend of an order, and how much of it was not taken back. Agents in the order of their ids, as locks are taken. */
async function dividendsOf(
  transaction: Transaction<Schema>,
  orderId: number,
): Promise<{ earned: Row<'dividends'>; left: number }[]> {
  const records = await transaction
    .selectFrom('dividends')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('agent_id')
    .execute();
  return records
    .filter(({ kind }) => kind === 'payment')
    .map((earned) => ({
      earned,
      // What is owed of a reversal counts as taken. A record of its payment takes as much from the balance as from the debt
      // and counts as nothing.
      left: records
        .filter(({ level }) => level === earned.level)
        .reduce((sum, { amount, owed }) => sum + amount - owed, 0),
    }));
}
