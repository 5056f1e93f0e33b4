// What the price book shows: versions, drafts, their impact, and prices of outside lists.
import { z } from 'zod';

/** By name of the option (contract/money/price-keys.ts). */
export const pricesByOption = z.record(z.string(), z.unknown());

export const priceChange = z.object({
  key: z.string(),
  name: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});

export const priceVersionView = z.object({
  id: z.number(),
  effective_at: z.number(),
  created_by: z.number(),
  /** Blank: the server itself, or an account that is gone. */
  actor_name: z.string(),
  source: z.string(),
  reason: z.string(),
  /** 0: no draft. */
  draft_id: z.number(),
  /** The built-in list of another release. */
  has_new_list: z.boolean(),
  change_count: z.number(),
  /** Some of the models and groups that changed. */
  changed: z.array(z.string()),
});
export type PriceVersionView = z.output<typeof priceVersionView>;

export const priceVersionDetail = priceVersionView.extend({
  prices: pricesByOption,
  /** Against the version before it. */
  changes: z.array(priceChange),
});

export type PriceVersionDetail = z.output<typeof priceVersionDetail>;

export const DRAFT_STATES = ['draft', 'scheduled', 'published', 'withdrawn'] as const;

export const priceDraftView = z.object({
  id: z.number(),
  status: z.enum(DRAFT_STATES),
  based_on: z.number(),
  created_at: z.number(),
  created_name: z.string(),
  updated_at: z.number(),
  updated_name: z.string(),
  revision: z.number(),
  /** 0: not scheduled. */
  publish_at: z.number(),
  /** 0: not published. */
  version_id: z.number(),
  reason: z.string(),
  source: z.string(),
  /** Why it was not published at its time. */
  error: z.string(),
});
export type PriceDraftView = z.output<typeof priceDraftView>;

export const priceDraftDetail = priceDraftView.extend({
  /** The running version, which it would replace. */
  running: z.number(),
  prices: pricesByOption,
  /** What publishing it now would change. */
  changes: z.array(priceChange),
  /** What changed in force since the draft was made; it keeps those that it does not change itself. */
  since: z.array(priceChange),
  /** What both changed; publishing the draft would undo them. */
  conflicts: z.array(priceChange),
});
export type PriceDraftDetail = z.output<typeof priceDraftDetail>;

export const impactPart = z.object({
  model: z.string(),
  group: z.string(),
  calls: z.number(),
  /** Quota that was charged. */
  charged: z.number(),
  /** Quota of the same calls under the running prices, and under those of the draft. */
  running: z.number(),
  draft: z.number(),
});
export type ImpactPart = z.output<typeof impactPart>;

export const priceImpact = z.object({
  from: z.number(),
  to: z.number(),
  /** Calls that were read, of all calls of the range; the figures stand for all. */
  read: z.number(),
  calls: z.number(),
  /** Calls whose rows say too little, or without a price in one of the two. */
  not_rated: z.number(),
  parts: z.array(impactPart),
});
export type PriceImpact = z.output<typeof priceImpact>;

export const PROPOSAL_STATES = ['open', 'accepted', 'refused', 'replaced'] as const;

/** Dollars per million tokens by class, or for each call or second; absent: as the input, or none. */
export const priceFigures = z.object({
  input: z.number().optional(),
  output: z.number().optional(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
  per_call: z.number().optional(),
  per_second: z.number().optional(),
  /** Rules beside the figures: tiers, classes, fees. */
  has_rules: z.boolean(),
});
export type PriceFigures = z.output<typeof priceFigures>;

export const priceProposalView = z.object({
  id: z.number(),
  status: z.enum(PROPOSAL_STATES),
  created_at: z.number(),
  decided_at: z.number(),
  decided_name: z.string(),
  model: z.string(),
  origin: z.string(),
  shape: z.string(),
  /** 0: none. */
  draft_id: z.number(),
  /** What the model costs now; null: it has no price. */
  before: priceFigures.nullable(),
  after: priceFigures.nullable(),
});
export type PriceProposalView = z.output<typeof priceProposalView>;

/** A model with its price, for the sheet of a version. */
export const bookedModel = z.object({
  model: z.string(),
  vendor: z.string(),
  offered: z.boolean(),
  /** Where the price comes from; `none`: calls are refused. */
  source: z.enum(['operator', 'list', 'none']),
  /** False: a number of the built-in list that was not compared with the vendor's page. */
  is_verified: z.boolean(),
  figures: priceFigures.nullable(),
});
export type BookedModel = z.output<typeof bookedModel>;
