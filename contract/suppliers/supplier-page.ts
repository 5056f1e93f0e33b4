// The page of a supplier: its channels with balance, score and money, calls by the hour, failures and events. For administrators.
import { z } from 'zod';
import { named, thingMoney, thingSections, thingSpan, windowQuery } from '#contract/admin/thing-parts.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

const supplierChannel = thingMoney.extend({
  ...named.shape,
  type: z.number(),
  /** 0: deleted. */
  status: z.number(),
  /** In `currency`; null: never read. */
  balance: z.number().nullable(),
  currency: z.enum(['USD', 'CNY']),
  /** Days that it lasts at the pace of the last seven days; null: not known. */
  balance_days: z.number().nullable(),
  /** 0–100; null: too few answers. */
  score: z.number().nullable(),
  /** The channel's own buy price replaces the supplier's. */
  has_own_price: z.boolean(),
});
export type SupplierChannel = z.output<typeof supplierChannel>;

export const supplierPage = z.object({
  ...thingSpan,
  ...named.shape,
  buy_price: z.string(),
  created_at: z.number(),
  /** Null: it needs no person. */
  alert: z
    .object({
      kind: z.enum(['off', 'balance']),
      /** The channels it is about. */
      channels: z.array(named),
      /** Days that the shortest balance lasts; 0 for `off`. */
      days: z.number(),
    })
    .nullable(),
  /** Most used first; their money adds up to that of the supplier. */
  channels: z.array(supplierChannel),
  ...thingSections,
});
export type SupplierPage = z.output<typeof supplierPage>;

export const supplierPages = {
  read: endpoint({
    method: 'GET',
    path: '/api/channel-costs/suppliers/{id}/page',
    access: 'admin',
    summary: { zh: '供应商页面', en: 'The page of a supplier' },
    params: idParams,
    query: windowQuery,
    returns: supplierPage,
  }),
};
