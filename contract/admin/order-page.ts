// The page of one order, for who placed it and for administrators: what was bought, how it went, what was paid back.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { adminOrderView, orderEvent, refundView } from '#contract/money/order-views.ts';

export const orderPage = z.object({
  now: z.number(),
  /** To who placed it: without the paying account and what the operator lost. */
  order: adminOrderView,
  /** Oldest first. To who placed it: without the words of administrators and providers. */
  events: z.array(orderEvent),
  refunds: z.array(refundView),
  /** What a refund could take from the balance now; 0 to who placed it. */
  refundable_quota: z.number(),
  /** The reader may complete and refund it. */
  can_manage: z.boolean(),
  /** The subscription that it paid for, as far as the order is of a plan and paid. */
  subscription: z
    .object({ id: z.number(), started_at: z.number(), ends_at: z.number(), ended_at: z.number() })
    .nullable(),
});
export type OrderPageView = z.output<typeof orderPage>;

export const orderPages = {
  page: endpoint({
    method: 'GET',
    path: '/api/order/{id}/page',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '订单页面：金额、经过与退款', en: "An order's page: amounts, history and refunds" },
    params: idParams,
    returns: orderPage,
  }),
};
