// The page of one plan: what it is worth, what it sold and brought, and what was used of it. Removed plans keep their page.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { PLAN_PAGE_ROWS, type PlanPageView } from '#contract/admin/plan-page.ts';
import { periodsIn } from '#contract/money/plan-schedule.ts';
import type { plans } from '#contract/money/plans.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { targetEvents } from '#server/admin/target-events.ts';
import { PLAN_GRANT_KIND, PLAN_RETURN_KIND } from '#server/money/ledger/engine/subscriptions.ts';
import { currencyDigits } from '#server/money/payments/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { type PlanDependencies } from './dependencies.ts';
import { viewsOf } from './read.ts';
import { planBaseOf } from './view.ts';

export function planPage({ store, ledger }: PlanDependencies): Handler<typeof plans.page> {
  return async ({ params: { id } }) => {
    const plan = await store.db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
    if (plan === undefined) throw new AppError('not_found');
    await ledger.writeHolds();
    const now = unixSeconds();
    const [sold, use, listed, events] = await Promise.all([
      readSoldOf(store, id, now),
      useOf(store, id),
      subscriptionsOf(store, id),
      targetEvents(store, [`plan:${id}`]),
    ]);
    return {
      now,
      plan: {
        ...planBaseOf(plan),
        on_sale: plan.on_sale === 1,
        created_at: plan.created_at,
        deleted_at: plan.deleted_at,
      },
      worth: plan.quota * periodsIn(plan).periods,
      sold,
      use,
      ...listed,
      events,
    };
  };
}

interface SoldRow {
  source: 'balance' | 'order' | 'grant';
  currency: string;
  count: number;
  refunded: number;
  active: number;
  revenue_minor: number;
  revenue_quota: number;
}

async function readSoldOf({ db }: Store, planId: number, now: number): Promise<PlanPageView['sold']> {
  const [{ rows }, buyers] = await Promise.all([
    sql<SoldRow>`
      select s.source, case s.source when 'order' then s.currency else '' end as currency, count(*) as count,
        sum(case when s.end_reason like 'refund:%' then 1 else 0 end) as refunded,
        sum(case when s.status = 'active' and s.ends_at > ${now} then 1 else 0 end) as active,
        cast(sum(coalesce(o.amount_minor - o.refunded_minor, 0)) as bigint) as revenue_minor,
        cast(sum(case s.source when 'balance' then s.price_quota else 0 end) as bigint) as revenue_quota
      from subscriptions s left join orders o on o.id = s.order_id
      where s.plan_id = ${planId} group by 1, 2`.execute(db),
    db
      .selectFrom('subscriptions')
      .select(sql<number>`count(distinct user_id)`.as('count'))
      .where('plan_id', '=', planId)
      .where('source', '<>', 'grant')
      .executeTakeFirstOrThrow(),
  ]);
  const sum = (of: (row: SoldRow) => number, source?: SoldRow['source']) =>
    rows.reduce((total, row) => total + (source === undefined || row.source === source ? of(row) : 0), 0);
  return {
    orders: sum(({ count }) => count, 'order'),
    balance: sum(({ count }) => count, 'balance'),
    grants: sum(({ count }) => count, 'grant'),
    refunded: sum(({ refunded }) => refunded),
    buyers: buyers.count,
    active: sum(({ active }) => active),
    revenue: rows
      .filter(({ currency }) => currency !== '')
      .map(({ currency, revenue_minor }) => ({
        currency,
        currency_digits: currencyDigits(currency),
        amount_minor: revenue_minor,
      })),
    revenue_quota: sum(({ revenue_quota }) => revenue_quota),
  };
}

/** Charges are not read one by one: they are what grants and returns leave unexplained. One statement, so at one moment. */
async function useOf({ db }: Store, planId: number): Promise<PlanPageView['use']> {
  const { rows } = await sql<{ granted: number; lapsed: number; left: number }>`
    select cast(coalesce(sum(granted), 0) as bigint) as granted, cast(coalesce(sum(lapsed), 0) as bigint) as lapsed,
      cast(coalesce(sum(quota), 0) as bigint) as "left"
    from (
      select s.quota,
        (select sum(l.amount) from ledger l where l.user_id = s.user_id and l.kind <> 'use'
          and l.kind = ${PLAN_GRANT_KIND} and l.credit_account = 'plan:' || s.id) as granted,
        (select sum(l.amount) from ledger l where l.user_id = s.user_id and l.kind <> 'use'
          and l.kind = ${PLAN_RETURN_KIND} and l.debit_account = 'plan:' || s.id) as lapsed
      from subscriptions s where s.plan_id = ${planId}) each_one`.execute(db);
  const { granted = 0, lapsed = 0, left = 0 } = rows[0] ?? {};
  return { granted, lapsed, left, used: granted - lapsed - left };
}

async function subscriptionsOf(
  { db }: Store,
  planId: number,
): Promise<Pick<PlanPageView, 'subscriptions' | 'subscription_count'>> {
  const of = db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .where('subscriptions.plan_id', '=', planId);
  const [rows, { count }] = await Promise.all([
    of
      .selectAll('subscriptions')
      .select('users.username')
      .orderBy('subscriptions.id', 'desc')
      .limit(PLAN_PAGE_ROWS)
      .execute(),
    of.select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow(),
  ]);
  const views = await viewsOf(db, rows);
  return {
    subscriptions: rows.map(({ id, user_id, username, source, order_id, created_at, ends_at }, index) => ({
      id,
      user_id,
      username,
      source,
      order_id,
      created_at,
      ends_at,
      state: views[index]?.state ?? 'ended',
      left: views[index]?.left ?? 0,
      period_quota: views[index]?.period_quota ?? 0,
    })),
    subscription_count: count,
  };
}
