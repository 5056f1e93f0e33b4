// What a channel's upstream charges the operator (buy prices), and the suppliers that several channels share. For operators
// only: no endpoint of a user returns a cost.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

const dollars = z.number().min(0).max(1_000_000);
const multiplier = z.number().min(0).max(1000);

/** Dollars per million tokens by class, per call, or per second; the names of the built-in price list. */
export const modelBuyPrice = z
  .strictObject({
    input: dollars,
    output: dollars,
    cacheRead: dollars,
    cacheWrite5m: dollars,
    cacheWrite1h: dollars,
    image: dollars,
    audioIn: dollars,
    audioOut: dollars,
    reasoning: dollars,
    perCall: dollars,
    perSecond: dollars,
    /** Dollars instead of `perCall` or `perSecond`, by resolution such as `1080p`. */
    resolutions: z.record(z.string().regex(/^\d{2,5}p$/), dollars),
  })
  .partial()
  // Other classes are stored relative to the input, so a paid class needs a paid input.
  .refine(
    ({ input, perCall, perSecond, resolutions, ...classes }) =>
      perCall !== undefined ||
      perSecond !== undefined ||
      (input !== undefined &&
        resolutions === undefined &&
        (input > 0 || Object.values(classes).every((price) => price === 0))),
  );
export type ModelBuyPrice = z.output<typeof modelBuyPrice>;

const shared = {
  /** What a dollar of credit at the supplier costs the operator, in dollars. */
  recharge_rate: z.number().gt(0).max(100).default(1),
  /** Part of the usual price that the supplier charges for batches. */
  batch_ratio: z.number().min(0).max(1).default(0.5),
};

export const BUY_PRICE_KINDS = ['list', 'table', 'plan'] as const;

export const buyPrice = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('list'), multiplier, ...shared }),
  z.strictObject({
    kind: z.literal('table'),
    models: z.record(z.string().min(1).max(255), modelBuyPrice),
    ...shared,
  }),
  z.strictObject({
    kind: z.literal('plan'),
    /** Dollars a month for each key, which is for each channel. */
    monthly_fee: dollars,
    /** On the list price of each call, beside the fee. */
    multiplier: multiplier.default(0),
    ...shared,
  }),
]);
export type BuyPrice = z.output<typeof buyPrice>;

/** Undefined for an empty text and for one that is no buy price. */
export function readBuyPrice(text: string): BuyPrice | undefined {
  if (text === '') return undefined;
  try {
    return buyPrice.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The name of the first member at fault; undefined for a buy price. */
export function buyPriceFault(value: unknown): string | undefined {
  const { error } = buyPrice.safeParse(value);
  return error && (error.issues[0]?.path.join('.') || 'kind');
}

export const supplierFields = z.object({
  name: z.string().trim().min(1).max(100),
  /** JSON text of a buy price; empty: the cost of the supplier's channels is unknown unless they have their own. */
  buy_price: z.string().trim().max(100_000).default(''),
});

export const supplierView = z.object({
  id: z.number(),
  name: z.string(),
  buy_price: z.string(),
  created_at: z.number(),
  /** How many channels name it. */
  channels: z.number(),
});
export type SupplierView = z.output<typeof supplierView>;

const ADMIN = { access: 'admin' } as const;

export const channelCosts = {
  suppliers: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/channel-costs/suppliers',
    summary: { zh: '供应商与进价', en: 'Suppliers and their buy prices' },
    returns: z.array(supplierView),
  }),
  createSupplier: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/channel-costs/suppliers',
    summary: { zh: '新建供应商', en: 'Create a supplier' },
    body: supplierFields,
    returns: supplierView,
  }),
  changeSupplier: endpoint({
    ...ADMIN,
    method: 'PUT',
    path: '/api/channel-costs/suppliers/{id}',
    summary: { zh: '修改供应商', en: 'Change a supplier' },
    params: idParams,
    body: supplierFields.extend({ based_on: basedOn }),
    returns: supplierView,
  }),
  removeSupplier: endpoint({
    ...ADMIN,
    method: 'DELETE',
    path: '/api/channel-costs/suppliers/{id}',
    summary: {
      zh: '删除供应商（其渠道不再属于任何供应商）',
      en: 'Delete a supplier; its channels belong to none afterwards',
    },
    params: idParams,
    returns: z.null(),
  }),
};
