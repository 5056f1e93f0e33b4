// The receipt of a paid order, as data and as a page to print.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { orderView, refundView } from './orders.ts';

export const seller = z.object({ name: z.string(), address: z.string(), tax_number: z.string() });
export type Seller = z.output<typeof seller>;

export const receiptView = orderView
  .pick({
    trade_no: true,
    provider: true,
    payment_method: true,
    amount_minor: true,
    currency: true,
    currency_digits: true,
    quota: true,
    plan_name: true,
    status: true,
    paid_at: true,
  })
  .extend({
    /** Unique on this site; never changes. */
    number: z.string(),
    dollars: z.number(),
    provider_reference: z.string(),
    seller,
    buyer: z.object({
      id: z.number(),
      username: z.string(),
      display_name: z.string(),
      email: z.string(),
      /** Of an organization. */
      company: z.object({ name: z.string(), address: z.string(), tax_id: z.string() }).optional(),
    }),
    /** Those that were paid back or may have been; refused ones are not listed. */
    refunds: z.array(refundView.pick({ id: true, created_at: true, amount_minor: true, status: true })),
  });
export type ReceiptView = z.output<typeof receiptView>;

/** Month of the payment (UTC) and number of the order. */
export function receiptNumber({ id, paid_at }: { id: number; paid_at: number }): string {
  const month = new Date(paid_at * 1000).toISOString().slice(0, 7).replace('-', '');
  return `R${month}-${String(id).padStart(6, '0')}`;
}

export const receipts = {
  own: endpoint({
    method: 'GET',
    path: '/api/order/self/{trade_no}/receipt',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '我的订单的收据', en: 'Receipt of your order' },
    params: z.object({ trade_no: z.string().max(100) }),
    returns: receiptView,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/order/{id}/receipt',
    access: 'admin',
    summary: { zh: '订单的收据', en: 'Receipt of an order' },
    params: idParams,
    returns: receiptView,
  }),
};
