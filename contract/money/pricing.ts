// The public price list: prices of each model in each group, and the calculations with them. Existing API clients know these
// names; a ratio of 1 is 2 dollars per million tokens.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

/** 0: paid by usage, 1: paid by call. */
export const QUOTA_TYPE = { usage: 0, call: 1 } as const;
/** Dollars per million tokens at ratio 1. */
export const DOLLARS_PER_MILLION = 2;

export const pricingEntry = z.object({
  model_name: z.string(),
  quota_type: z.union([z.literal(QUOTA_TYPE.usage), z.literal(QUOTA_TYPE.call)]),
  model_ratio: z.number(),
  completion_ratio: z.number(),
  /** Price of cached input relative to fresh input. */
  cache_ratio: z.number(),
  /** Dollars per call or second; 0 for models paid by usage. */
  model_price: z.number(),
  price_unit: z.enum(['call', 'second']),
  /** Dollars instead of `model_price` by the resolution of a video. */
  resolution_prices: z.record(z.string(), z.number()),
  /** Of the groups this caller may use, those with a channel for the model. */
  enable_groups: z.array(z.string()),
  /** Vendor of the model; blank when the name is not in the built-in list. */
  owner_by: z.string(),
  /** Kind of model (`chat`, `embedding`, `image` …); blank when unknown. */
  kind: z.string(),
  /** Tokens a prompt may have; 0 when unknown. */
  context: z.number(),
  /** The paths that serve it. */
  endpoints: z.array(z.string()),
  /** Its place in the built-in list, which has each vendor's newest models first; -1 when the name is not in it. */
  list_position: z.number(),
  /**
   * Of a virtual model: it chooses one of these models for each call; only those of the list are named. `answered`: a call costs what the
   * model that answers costs, and the figures above are those of the dearest. `own`: they hold whichever answers.
   */
  virtual: z.object({ basis: z.enum(['answered', 'own']), targets: z.array(z.string()) }).optional(),
});
export type PricingEntry = z.output<typeof pricingEntry>;

export const pricing = {
  list: endpoint({
    method: 'GET',
    path: '/api/pricing',
    access: 'visitor',
    summary: { zh: '模型价格', en: 'Model prices' },
    returns: z.array(pricingEntry),
    extra: z.object({
      group_ratio: z.record(z.string(), z.number()),
      /** Group to description. */
      usable_group: z.record(z.string(), z.string()),
    }),
  }),
};

/** No price of its own can be said. */
export const isPricedAsAnswered = ({ virtual }: Pick<PricingEntry, 'virtual'>): boolean =>
  virtual?.basis === 'answered';

type Ratios = Pick<PricingEntry, 'model_ratio' | 'completion_ratio' | 'cache_ratio'>;

/** Rounds off the error of binary fractions: ratios have few digits. */
const exact = (value: number): number => Number(value.toPrecision(12));

export interface TokenPrice {
  input: number;
  cached: number;
  output: number;
}

/** Dollars per million tokens. */
export function pricePerMillion(entry: Ratios, groupRatio: number): TokenPrice {
  const input = entry.model_ratio * DOLLARS_PER_MILLION * groupRatio;
  return {
    input: exact(input),
    cached: exact(input * entry.cache_ratio),
    output: exact(input * entry.completion_ratio),
  };
}

/**
 * Dollars of one piece at a resolution. A resolution without a price costs at least as much as the next lower one with a price:
 * otherwise `1088p` would be cheaper than `1080p`.
 */
export function piecePriceAt(
  modelPrice: number,
  resolutionPrices: Readonly<Record<string, number>>,
  resolution: string,
): number {
  if (Object.hasOwn(resolutionPrices, resolution)) return resolutionPrices[resolution] ?? modelPrice;
  const lines = Number.parseInt(resolution, 10);
  const [below] = Object.entries(resolutionPrices)
    .map(([name, dollars]) => ({ lines: Number.parseInt(name, 10), dollars }))
    .filter((listed) => listed.lines < lines)
    .toSorted((left, right) => right.lines - left.lines);
  return Math.max(modelPrice, below?.dollars ?? 0);
}

/** Dollars of one call: by its tokens, or the fixed price. */
export function costOfCall(
  entry: Ratios & Pick<PricingEntry, 'quota_type' | 'model_price'>,
  groupRatio: number,
  tokens: { prompt: number; completion: number },
): number {
  if (entry.quota_type === QUOTA_TYPE.call) return exact(entry.model_price * groupRatio);
  const weighed = tokens.prompt + tokens.completion * entry.completion_ratio;
  return exact((groupRatio * entry.model_ratio * weighed * DOLLARS_PER_MILLION) / 1_000_000);
}

const SIZE_FACTORS: Readonly<Record<string, number>> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1024': 1,
  '1024x1792': 2,
  '1792x1024': 2,
};

/** How many times a fixed price is taken for pictures of this number and size. */
export function picturePieces(model: string, count: number, size: string, quality?: unknown): number {
  const factor = Object.hasOwn(SIZE_FACTORS, size) ? (SIZE_FACTORS[size] ?? 1) : 1;
  const isHd = model.startsWith('dall-e-3') && quality === 'hd';
  return count * factor * (isHd ? (factor > 1 ? 1.5 : 2) : 1);
}

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/gu;

/** Estimate for a price before the call: four letters or one Chinese character are about one token. */
export function estimateTokens(text: string): number {
  if (text === '') return 0;
  const wide = text.match(WIDE)?.length ?? 0;
  return Math.max(1, Math.ceil(wide + (text.length - wide) / 4));
}
