// The receipt of a paid order: what was sold by whom to whom, and what was paid back since.
import { accountOf, type Handlers } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { receiptNumber, type receipts, type ReceiptView } from '#contract/money/receipts.ts';
import { sellerOfOrder, type Order, type PaymentParts } from '#server/money/payments/index.ts';
import { orderViewOf } from './view.ts';

type ReceiptParts = Pick<PaymentParts, 'store' | 'settings'>;

export function createReceiptHandlers(parts: ReceiptParts): Handlers<typeof receipts> {
  const orders = parts.store.db.selectFrom('orders').selectAll();
  return {
    own: async ({ params }, context) =>
      await receiptOf(
        parts,
        await orders
          .where('trade_no', '=', params.trade_no)
          .where('user_id', '=', accountOf(context).id)
          .executeTakeFirst(),
      ),
    read: async ({ params }) =>
      await receiptOf(parts, await orders.where('id', '=', params.id).executeTakeFirst()),
  };
}

/** An order that was not paid has no receipt. */
async function receiptOf(
  { store: { db }, settings }: ReceiptParts,
  order: Order | undefined,
): Promise<ReceiptView> {
  if (order === undefined || order.paid_at === 0) throw new AppError('not_found');
  const [buyer, refunds] = await Promise.all([
    buyerOf(db, order.user_id),
    db
      .selectFrom('refunds')
      .select(['id', 'created_at', 'amount_minor', 'status'])
      .where('order_id', '=', order.id)
      .where('status', '<>', 'failed')
      .orderBy('id')
      .execute(),
  ]);
  const { terms, trade_no, provider, payment_method, amount_minor, ...view } = orderViewOf(order);
  const { currency, currency_digits, quota, status, paid_at } = view;
  return {
    number: receiptNumber(order),
    trade_no,
    provider,
    payment_method,
    amount_minor,
    currency,
    currency_digits,
    quota,
    plan_name: view.plan_name,
    status,
    paid_at,
    dollars: terms.dollars,
    provider_reference: order.provider_reference,
    seller: sellerOfOrder(order, settings.current),
    buyer,
    refunds,
  };
}

/** An organization is named as it wants to be on receipts, by its own name until it says how. */
async function buyerOf(db: ReceiptParts['store']['db'], id: number): Promise<ReceiptView['buyer']> {
  const row = await db
    .selectFrom('users')
    .leftJoin('organizations', 'organizations.id', 'users.id')
    .select(['users.id', 'users.username', 'users.display_name', 'users.email'])
    .select(['organizations.name', 'organizations.company_name', 'organizations.company_address'])
    .select(['organizations.tax_id', 'organizations.billing_email'])
    .where('users.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return { id, username: '', display_name: '', email: '' };
  const { username, display_name, email, name, company_name, company_address, tax_id, billing_email } = row;
  if (name === null) return { id, username, display_name, email };
  const company = { name: company_name || name, address: company_address ?? '', tax_id: tax_id ?? '' };
  return { id, username, display_name: name, email: billing_email ?? '', company };
}
