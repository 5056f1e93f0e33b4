// Orders of online payments. A paid one has its ledger row; a pending one has expired, because its provider answers the
// other gateway.
import { orderIdem, TOP_UP_KIND } from '#server/money/ledger/idempotency.ts';
import { insertOrder } from '#server/money/payments/order-rows.ts';
import { bookPastEntry } from '#server/money/ledger/imported.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import { amountOf, bringTable, dollarsOf, type Job } from './job.ts';

const METHODS: Record<string, string> = { alipay: 'zfb', wxpay: 'wx' };
const PAID = 'success';
const STRIPE = 'stripe';
const CENTS = 100;

export async function bringOrders(job: Job): Promise<void> {
  const { report, ids, store } = job;
  const rows = await store.db.selectFrom('orders').select('trade_no').execute();
  const numbers = new Set(rows.map(({ trade_no }) => trade_no));
  await bringTable(job, 'orders', 'top_ups', async (fields, sourceId) => {
    const tradeNumber = fields.text('trade_no');
    const leave = (reason: string) => report.leave('orders', reason, tradeNumber || `id ${sourceId}`);
    const userId = ids.find('users', fields.text('user_id'));
    if (tradeNumber === '') return leave('has no number');
    if (userId === undefined) return leave('its user is not brought');
    if (numbers.has(tradeNumber)) return leave('an order with this number exists here already');
    const quota = quotaOf(job, fields);
    const isPaid = fields.text('status') === PAID;
    if (isPaid && quota === 0) return leave('paid, but worth nothing');
    const amount = Math.max(0, fields.decimal('amount'));
    const amountMinor = Math.max(0, Math.round(fields.decimal('money') * CENTS));
    if (!Number.isSafeInteger(amountMinor)) return leave('its price is past the cap');
    numbers.add(tradeNumber);
    const provider = isStripe(fields) ? STRIPE : 'epay';
    const createdAt = fields.seconds('create_time');
    const paidAt = fields.seconds('complete_time') || createdAt;
    const method = fields.text('payment_method');
    return async (transaction) => {
      const { id } = await insertOrder(transaction, {
        trade_no: tradeNumber,
        user_id: userId,
        provider,
        payment_method: METHODS[method] ?? method,
        amount_minor: amountMinor,
        currency: provider === STRIPE ? 'USD' : 'CNY',
        amount,
        quota,
        status: isPaid ? 'paid' : 'expired',
        created_at: createdAt,
        paid_at: isPaid ? paidAt : 0,
        expires_at: createdAt,
        detail: JSON.stringify({ imported: job.source.label }),
      });
      if (isPaid)
        await bookPastEntry(transaction, {
          idem: orderIdem(tradeNumber),
          userId,
          amount: quota,
          kind: TOP_UP_KIND,
          from: `world:topup:${provider}`,
          reference: tradeNumber,
          at: paidAt,
        });
      return id;
    };
  });
}

const isStripe = (fields: Fields): boolean =>
  fields.text('payment_provider') === STRIPE || fields.text('payment_method') === STRIPE;

/** `amount` is in dollars, except for Stripe, where `money` is, and for products of Creem, where it is quota already. */
function quotaOf(job: Job, fields: Fields): number {
  if (isStripe(fields)) return dollarsOf(job, fields, 'money');
  if (fields.text('payment_method') === 'creem') return amountOf(job, fields, 'amount');
  return dollarsOf(job, fields, 'amount');
}
