// Reads plans on sale and subscriptions with what their views need.
import { sql, type Kysely } from 'kysely';
import { intervalOf } from '#contract/money/plan-schedule.ts';
import { type SubscriptionView } from '#contract/money/plans.ts';
import { AppError } from '#contract/errors.ts';
import type { PlanTerms, Subscription } from '#server/money/ledger/subscriptions.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { subscriptionViewOf, type Plan } from './view.ts';

/** What a buyer of this plan gets now. */
export function termsOf(plan: Plan): PlanTerms {
  const interval = intervalOf(plan);
  if (interval === undefined) throw new AppError('plan_periods_uneven');
  return {
    ...interval,
    plan_id: plan.id,
    plan_name: plan.name,
    duration_unit: plan.duration_unit,
    duration_count: plan.duration_count,
    period_quota: plan.quota,
    models: plan.models,
    group: plan.group,
    price_quota: plan.price_quota,
    price_minor: plan.price_minor,
    currency: plan.currency,
  };
}

/** A plan that was removed is not on sale. */
export async function planOnSale(db: Kysely<Schema>, id: number): Promise<Plan | undefined> {
  return await db
    .selectFrom('plans')
    .selectAll()
    .where('id', '=', id)
    .where('on_sale', '=', 1)
    .executeTakeFirst();
}

/** The subscription that begins when this one ends; one that was refunded or ended early is none. */
export async function followerOf(db: Kysely<Schema>, id: number): Promise<{ id: number } | undefined> {
  return await db
    .selectFrom('subscriptions')
    .select('id')
    .where('follows_id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

/** The plan may have another name now than the one that was bought. */
const englishNameOf = (
  { plan_name }: Pick<Subscription, 'plan_name'>,
  plan: Pick<Plan, 'name' | 'name_en'> | undefined,
): string => (plan?.name === plan_name ? plan.name_en : '');

export async function englishPlanName(db: Kysely<Schema>, subscription: Subscription): Promise<string> {
  const plan = await db
    .selectFrom('plans')
    .select(['name', 'name_en'])
    .where('id', '=', subscription.plan_id)
    .executeTakeFirst();
  return englishNameOf(subscription, plan);
}

export async function viewsOf(
  db: Kysely<Schema>,
  subscriptions: readonly Subscription[],
): Promise<SubscriptionView[]> {
  if (subscriptions.length === 0) return [];
  const planIds = [...new Set(subscriptions.map(({ plan_id }) => plan_id))];
  const [plans, followers] = await Promise.all([
    db
      .selectFrom('plans')
      .select(['id', 'name', 'name_en', 'on_sale', 'price_quota', 'price_minor'])
      .where('id', 'in', planIds)
      .execute(),
    db
      .selectFrom('subscriptions')
      .select('follows_id')
      .where(
        'follows_id',
        'in',
        subscriptions.map(({ id }) => id),
      )
      .where('status', '=', 'active')
      .execute(),
  ]);
  const planById = new Map(plans.map((plan) => [plan.id, plan]));
  const renewed = new Set(followers.map(({ follows_id }) => follows_id));
  return subscriptions.map((subscription) => {
    const plan = planById.get(subscription.plan_id);
    return subscriptionViewOf(subscription, {
      plan: plan?.on_sale === 1 ? plan : undefined,
      planNameEn: englishNameOf(subscription, plan),
      isRenewed: renewed.has(subscription.id),
    });
  });
}

/** How often a user bought a plan: also ended ones, but neither refunded ones nor gifts. */
export async function timesBought(
  db: Kysely<Schema>,
  userId: number,
  planIds: readonly number[],
): Promise<Map<number, number>> {
  if (planIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('subscriptions')
    .select(['plan_id', sql<number>`count(*)`.as('bought')])
    .where('user_id', '=', userId)
    .where('plan_id', 'in', [...planIds])
    .where('source', '<>', 'grant')
    .where('end_reason', 'not like', 'refund:%')
    .groupBy('plan_id')
    .execute();
  return new Map(rows.map(({ plan_id, bought }) => [plan_id, bought]));
}

/** Orders that can still be paid in their time count as bought, so that several at once do not exceed the limit. */
export async function openOrders(
  db: Kysely<Schema>,
  userId: number,
  planId: number,
  now: number,
): Promise<number> {
  const { open } = await db
    .selectFrom('orders')
    .select(sql<number>`count(*)`.as('open'))
    .where('user_id', '=', userId)
    .where('plan_id', '=', planId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return open;
}
