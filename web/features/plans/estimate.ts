/** What the quota of a plan buys of a model; without React, for unit tests. */
import { QUOTA_TYPE, type PricingEntry } from '#contract/money/pricing.ts';
import type { PlanOffer } from '#contract/money/plans.ts';

export type Estimate =
  | { kind: 'excluded' }
  | { kind: 'tokens' | 'calls'; count: number }
  /** The model is free, or its price is not known. */
  | undefined;

type Plan = Pick<PlanOffer, 'quota' | 'models' | 'group_ratio'>;
type Price = Pick<PricingEntry, 'model_name' | 'quota_type' | 'model_ratio' | 'model_price'>;

/** Input tokens, or calls of a model with a fixed price. A token costs model ratio × group ratio. */
export function estimateOf(plan: Plan, price: Price, quotaPerUnit: number): Estimate {
  if (plan.models.length > 0 && !plan.models.includes(price.model_name)) return { kind: 'excluded' };
  const isCall = price.quota_type === QUOTA_TYPE.call;
  const each = (isCall ? price.model_price * quotaPerUnit : price.model_ratio) * plan.group_ratio;
  if (!(each > 0)) return undefined;
  return { kind: isCall ? 'calls' : 'tokens', count: Math.floor(plan.quota / each) };
}
