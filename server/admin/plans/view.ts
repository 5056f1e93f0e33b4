// Plans and subscriptions as the API shows them.
import { type SubscriptionView } from '#contract/money/plans.ts';
import { unixSeconds } from '#contract/time.ts';
import { currencyDigits } from '#server/money/payments/index.ts';
import type { Subscription } from '#server/money/ledger/subscriptions.ts';
import type { Row } from '#server/platform/store/schema.ts';

export type Plan = Row<'plans'>;

export const modelList = (models: string): string[] => (models === '' ? [] : models.split(','));

export function planBaseOf(plan: Plan) {
  const {
    id,
    name,
    name_en,
    description,
    description_en,
    price_minor,
    currency,
    price_quota,
    quota,
    reset,
    group,
  } = plan;
  const { duration_unit, duration_count, limit_per_user } = plan;
  return {
    id,
    name,
    name_en,
    description,
    description_en,
    price_minor,
    currency,
    currency_digits: currencyDigits(currency),
    price_quota,
    duration_unit,
    duration_count,
    quota,
    reset,
    models: modelList(plan.models),
    group,
    limit_per_user,
  };
}

/** The plan as it is sold now; undefined when it is not. */
export type PlanOnSale = Pick<Plan, 'price_quota' | 'price_minor'> | undefined;

export interface SubscriptionContext {
  planNameEn: string;
  plan: PlanOnSale;
  /** Another subscription begins when this one ends. */
  isRenewed: boolean;
}

export function subscriptionViewOf(
  subscription: Subscription,
  { plan, planNameEn, isRenewed }: SubscriptionContext,
): SubscriptionView {
  const now = unixSeconds();
  const { status, started_at, ends_at, period_ends_at, period_quota, quota, held } = subscription;
  const hasEnded = status === 'ended' || ends_at <= now;
  const state = hasEnded ? 'ended' : started_at > now ? 'scheduled' : 'active';
  // A period that is due is granted by the next call or the job, whichever comes first.
  const left = state !== 'active' ? 0 : period_ends_at > now ? quota - held : period_quota;
  return {
    id: subscription.id,
    plan_id: subscription.plan_id,
    plan_name: subscription.plan_name,
    plan_name_en: planNameEn,
    state,
    created_at: subscription.created_at,
    started_at,
    ends_at,
    period_ends_at,
    period_quota,
    left,
    resets: state === 'active' && period_ends_at < ends_at,
    models: modelList(subscription.models),
    group: subscription.group,
    source: subscription.source,
    price_quota: subscription.price_quota,
    price_minor: subscription.price_minor,
    currency: subscription.currency,
    currency_digits: currencyDigits(subscription.currency),
    renew_price: hasEnded ? 0 : subscription.renew_price,
    renewal_quota: plan?.price_quota ?? 0,
    renewable: !hasEnded && !isRenewed && plan !== undefined,
    ended_at: subscription.ended_at,
    end_reason: subscription.end_reason.replace(/:.*$/s, ''),
  };
}
