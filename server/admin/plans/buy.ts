// A user buys a plan, for now or as the renewal of a subscription: from the balance at once, or by an order that is paid at a
// provider. Checks and sale are in one transaction in which the user's row is locked, so purchases of one user are in order.
import type { Kysely, Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { plans } from '#contract/money/plans.ts';
import { unixSeconds } from '#contract/time.ts';
import {
  lockUser,
  sellSubscription,
  setRenewPrice,
  setWalletFirst,
  type Sale,
  type Subscription,
} from '#server/money/ledger/subscriptions.ts';
import { accountOf, type Handler } from '#server/admin/context.ts';
import { placePlanOrder } from '#server/money/payments/index.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { type PlanDependencies } from './dependencies.ts';
import { followerOf, openOrders, planOnSale, termsOf, timesBought, viewsOf } from './read.ts';
import type { Plan } from './view.ts';

export interface Wish {
  userId: number;
  planId: number;
  /** The subscription to renew. */
  renews: number | undefined;
}

/** The plan and what it follows, or the refusal. Call it with the user locked. */
export async function requireBuyable(
  transaction: Transaction<Schema>,
  { userId, planId, renews }: Wish,
): Promise<{ plan: Plan; follows: Subscription | undefined }> {
  const plan = await planOnSale(transaction, planId);
  if (plan === undefined) throw new AppError('plan_unavailable');
  if (plan.limit_per_user > 0) {
    const bought = (await timesBought(transaction, userId, [planId])).get(planId) ?? 0;
    const open = await openOrders(transaction, userId, planId, unixSeconds());
    if (bought + open >= plan.limit_per_user)
      throw new AppError('plan_limit_reached', { limit: plan.limit_per_user });
  }
  if (renews === undefined) return { plan, follows: undefined };
  const follows = await transaction
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', renews)
    .where('user_id', '=', userId)
    .where('plan_id', '=', planId)
    .where('status', '=', 'active')
    .where('ends_at', '>', unixSeconds())
    .executeTakeFirst();
  if (follows === undefined || (await followerOf(transaction, follows.id)) !== undefined)
    throw new AppError('subscription_not_renewable');
  return { plan, follows };
}

export function buyPlan(dependencies: PlanDependencies): Handler<typeof plans.buy> {
  const { store, ledger } = dependencies;
  return async ({ params, body }, context) => {
    const { id: userId, username } = accountOf(context);
    await ledger.writeHolds(userId);
    const requestKey = `${userId}:${body.request_id}`;
    const wish: Wish = { userId, planId: params.id, renews: body.renews };
    const subscription = await store.db.transaction().execute(async (transaction) => {
      await lockUser(dependencies, transaction, userId);
      const known = await findSoldBefore(transaction, requestKey, wish);
      if (known !== undefined) return known;
      const { plan, follows } = await requireBuyable(transaction, wish);
      // A price that changed after the buyer saw it is not charged.
      if (plan.price_quota === 0 || plan.price_quota !== body.price_quota)
        throw new AppError('plan_unavailable');
      const sold = await sellFromBalance(dependencies, transaction, {
        userId,
        terms: termsOf(plan),
        source: 'balance',
        follows,
        requestKey,
        log: purchaseLog(userId, username, plan),
      });
      await context.audit(transaction, 'plan.buy', `subscription:${sold.id}`, undefined, {
        plan: plan.id,
        price_quota: plan.price_quota,
        renews: body.renews ?? 0,
      });
      return sold;
    });
    await store.changes.announce('users', String(userId));
    return await oneView(store.db, subscription);
  };
}

/** The sale under this key; a key that was used for another wish is refused, not answered with that sale. */
export async function findSoldBefore(
  transaction: Transaction<Schema>,
  requestKey: string,
  { userId, planId, renews = 0 }: Wish,
): Promise<Subscription | undefined> {
  const known = await transaction
    .selectFrom('subscriptions')
    .selectAll()
    .where('request_key', '=', requestKey)
    .executeTakeFirst();
  if (known === undefined) return undefined;
  const isSame = known.user_id === userId && known.plan_id === planId && known.follows_id === renews;
  if (!isSame) throw invalidField('request_id', 'other_request');
  return known;
}

export function purchaseLog(userId: number, username: string, plan: Plan): Sale['log'] {
  const { name, price_quota } = plan;
  const content = factText('planFromBalance', { plan: name, quota: price_quota });
  return { type: LOG_TYPE.system, user_id: userId, username, quota: price_quota, content };
}

export async function sellFromBalance(
  dependencies: PlanDependencies,
  transaction: Transaction<Schema>,
  sale: Sale,
): Promise<Subscription> {
  const sold = await sellSubscription(dependencies, transaction, sale);
  if (sold.ok) return sold.subscription;
  if (sold.reason !== 'insufficient_quota') throw new Error(`a plan could not be sold: ${sold.reason}`);
  const user = await transaction
    .selectFrom('users')
    .select(['quota', 'held_quota'])
    .where('id', '=', sale.userId)
    .executeTakeFirstOrThrow();
  throw new AppError('plan_quota_short', {
    price: sale.terms.price_quota,
    available: user.quota - user.held_quota,
  });
}

export function orderPlan(dependencies: PlanDependencies): Handler<typeof plans.order> {
  const { store, payments } = dependencies;
  return async ({ params, body }, context) => {
    const account = accountOf(context);
    const plan = await planOnSale(store.db, params.id);
    if (plan === undefined || plan.price_minor === 0 || plan.price_minor !== body.price_minor)
      throw new AppError('plan_unavailable');
    const { fields, url, tradeNo } = await placePlanOrder(payments, account, {
      method: body.payment_method,
      terms: termsOf(plan),
      followsId: body.renews ?? 0,
      async check(transaction) {
        await lockUser(dependencies, transaction, account.id);
        await requireBuyable(transaction, { userId: account.id, planId: plan.id, renews: body.renews });
      },
    });
    return { data: fields, message: 'success', url, trade_no: tradeNo };
  };
}

export function changePreference(dependencies: PlanDependencies): Handler<typeof plans.preference> {
  const { store } = dependencies;
  return async ({ body }, context) => {
    const { id } = accountOf(context);
    await store.db.transaction().execute(async (transaction) => {
      await setWalletFirst(transaction, id, body.wallet_first);
      await context.audit(transaction, 'plan.preference', `user:${id}`, undefined, body);
    });
    await store.changes.announce('users', String(id));
    return null;
  };
}

export function changeRenewal(dependencies: PlanDependencies): Handler<typeof plans.autoRenew> {
  const { store } = dependencies;
  return async ({ params, body }, context) => {
    const { id: userId } = accountOf(context);
    const changed = await store.db.transaction().execute(async (transaction) => {
      await lockUser(dependencies, transaction, userId);
      const subscription = await transaction
        .selectFrom('subscriptions')
        .selectAll()
        .where('id', '=', params.id)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (subscription === undefined) throw new AppError('not_found');
      const renewPrice = body.auto_renew ? await priceToAgree(transaction, subscription) : 0;
      await setRenewPrice(transaction, subscription.id, renewPrice);
      const target = `subscription:${subscription.id}` as const;
      const { renew_price } = subscription;
      await context.audit(transaction, 'plan.renewal', target, { renew_price }, { renew_price: renewPrice });
      return { ...subscription, renew_price: renewPrice };
    });
    return await oneView(store.db, changed);
  };
}

/** Today's price: a later, higher one is not paid without the user. */
async function priceToAgree(transaction: Transaction<Schema>, subscription: Subscription): Promise<number> {
  const plan = await planOnSale(transaction, subscription.plan_id);
  const isOver = subscription.status === 'ended' || subscription.ends_at <= unixSeconds();
  if (plan === undefined || plan.price_quota === 0 || isOver)
    throw new AppError('subscription_not_renewable');
  return plan.price_quota;
}

export async function oneView(db: Kysely<Schema>, subscription: Subscription) {
  const [view] = await viewsOf(db, [subscription]);
  if (view === undefined) throw new AppError('not_found');
  return view;
}
