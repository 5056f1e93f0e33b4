// What users have bought, for administrators: lists it, grants a subscription, ends one early.
import { sql, type Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Input } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { PLAN_EXPIRING_DAYS } from '#contract/money/plan-schedule.ts';
import { type ManagedSubscription, type plans } from '#contract/money/plans.ts';
import { unixSeconds } from '#contract/time.ts';
import {
  endSubscription,
  lockSubscription,
  lockUser,
  sellSubscription,
} from '#server/money/ledger/subscriptions.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { containsText } from '#server/platform/store/like.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { findSoldBefore } from './buy.ts';
import { type PlanDependencies } from './dependencies.ts';
import { termsOf, viewsOf } from './read.ts';

type Filter = Input<typeof plans.subscriptions>['query'];

function matching({ db }: Pick<Store, 'db'>, { plan_id, state, keyword }: Filter) {
  const now = unixSeconds();
  let rows = db.selectFrom('subscriptions').innerJoin('users', 'users.id', 'subscriptions.user_id');
  if (plan_id !== undefined) rows = rows.where('subscriptions.plan_id', '=', plan_id);
  if (state === 'ended')
    rows = rows.where((eb) =>
      eb.or([eb('subscriptions.status', '=', 'ended'), eb('subscriptions.ends_at', '<=', now)]),
    );
  else if (state !== undefined) {
    rows = rows.where('subscriptions.status', '=', 'active').where('subscriptions.ends_at', '>', now);
    rows = rows.where('subscriptions.started_at', state === 'scheduled' ? '>' : '<=', now);
    if (state === 'expiring')
      rows = rows.where('subscriptions.ends_at', '<=', now + PLAN_EXPIRING_DAYS * 86_400);
  }
  if (keyword === '') return rows;
  return rows.where((eb) =>
    eb.or([
      containsText('users.username', keyword),
      ...(/^\d{1,15}$/.test(keyword) ? [eb('users.id', '=', Number(keyword))] : []),
    ]),
  );
}

export function listSubscriptions({ store, ledger }: PlanDependencies): Handler<typeof plans.subscriptions> {
  return async ({ query }) => {
    await ledger.writeHolds();
    const pageSize = pageSizeOf(query);
    const rows = matching(store, query);
    const [items, { total }] = await Promise.all([
      rows
        .selectAll('subscriptions')
        .select('users.username')
        .orderBy('subscriptions.id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow(),
    ]);
    const views = await viewsOf(store.db, items);
    return {
      items: views.map((view, index) => ({
        ...view,
        user_id: items[index]?.user_id ?? 0,
        username: items[index]?.username ?? '',
      })),
      total,
      page: query.p,
      page_size: pageSize,
    };
  };
}

export function grantSubscription(dependencies: PlanDependencies): Handler<typeof plans.grant> {
  const { store } = dependencies;
  return async ({ body }, context) => {
    const caller = callerOf(context);
    const requestKey = `grant:${caller.id}:${body.request_id}`;
    const { id } = await store.db.transaction().execute(async (transaction) => {
      await lockUser(dependencies, transaction, body.user_id);
      const wish = { userId: body.user_id, planId: body.plan_id, renews: undefined };
      const known = await findSoldBefore(transaction, requestKey, wish);
      if (known !== undefined) return known;
      const username = await requireBelow(transaction, body.user_id, caller.role);
      const plan = await transaction
        .selectFrom('plans')
        .selectAll()
        .where('id', '=', body.plan_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (plan === undefined) throw new AppError('plan_unavailable');
      const sold = await sellSubscription(dependencies, transaction, {
        userId: body.user_id,
        terms: termsOf(plan),
        source: 'grant',
        requestKey,
        log: {
          type: LOG_TYPE.manage,
          user_id: body.user_id,
          username,
          quota: 0,
          content: factText('planGranted', { plan: plan.name }),
        },
      });
      if (!sold.ok) throw new Error(`a plan could not be granted: ${sold.reason}`);
      await context.audit(transaction, 'plan.grant', `subscription:${sold.subscription.id}`, undefined, {
        plan: plan.id,
        user: body.user_id,
      });
      return sold.subscription;
    });
    await store.changes.announce('users', String(body.user_id));
    return await oneManaged(store.db, id);
  };
}

export function endEarly(dependencies: PlanDependencies): Handler<typeof plans.end> {
  const { store } = dependencies;
  return async ({ params, body }, context) => {
    const caller = callerOf(context);
    const userId = await store.db.transaction().execute(async (transaction) => {
      const subscription = await lockSubscription(dependencies, transaction, params.id);
      if (subscription === undefined) throw new AppError('not_found');
      await requireBelow(transaction, subscription.user_id, caller.role);
      if (!(await endSubscription(dependencies, transaction, params.id, 'admin')))
        throw new AppError('subscription_already_ended');
      const target = `subscription:${params.id}` as const;
      const { plan_name, quota, held } = subscription;
      await context.audit(transaction, 'plan.end', target, { plan_name, quota, held }, body);
      return subscription.user_id;
    });
    await store.changes.announce('users', String(userId));
    return await oneManaged(store.db, params.id);
  };
}

/** An administrator acts on users of a lower role only. Returns the name. */
async function requireBelow(db: Kysely<Schema>, userId: number, role: number): Promise<string> {
  const user = await db
    .selectFrom('users')
    .select(['username', 'role', 'deleted_at'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user === undefined || user.deleted_at !== null) throw new AppError('user_unavailable');
  if (user.role >= role) throw new AppError('user_not_manageable');
  return user.username;
}

async function oneManaged(db: Kysely<Schema>, id: number): Promise<ManagedSubscription> {
  const row = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .selectAll('subscriptions')
    .select('users.username')
    .where('subscriptions.id', '=', id)
    .executeTakeFirstOrThrow();
  const [view] = await viewsOf(db, [row]);
  if (view === undefined) throw new AppError('not_found');
  return { ...view, user_id: row.user_id, username: row.username };
}
