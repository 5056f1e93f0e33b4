// Administrators define plans and see what they bring. A change concerns later purchases only: subscriptions and orders have
// frozen terms.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { atMost, invalidField } from '#contract/problem-words.ts';
import {
  intervalOf,
  PLAN_DAYS_MAX,
  PLAN_EXPIRING_DAYS,
  PLAN_MONTHS_MAX,
} from '#contract/money/plan-schedule.ts';
import {
  planFields,
  type ManagedPlan,
  type PlanFields,
  type PlanRevenue,
  type plans,
} from '#contract/money/plans.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handler } from '#server/admin/context.ts';
import { currencyDigits } from '#server/money/payments/index.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import type { RowChange } from '#server/platform/store/schema.ts';
import { type PlanDependencies } from './dependencies.ts';
import { planBaseOf, type Plan } from './view.ts';
import { savePlan } from './write-plan.ts';

export function listPlans(dependencies: PlanDependencies): Handler<typeof plans.list> {
  const { store, settings, payments } = dependencies;
  return async () => {
    const rows = await store.db
      .selectFrom('plans')
      .selectAll()
      .where('deleted_at', 'is', null)
      .orderBy('sort_order')
      .orderBy('id')
      .execute();
    const figures = await figuresOf(dependencies, 0);
    const recent = await figuresOf(dependencies, unixSeconds() - 30 * DAY_SECONDS);
    const currencies = [...new Set(payments.providers.methods().map(({ currency }) => currency))];
    return {
      plans: rows.map((plan) => managedPlanOf(plan, figures)),
      currencies: currencies.map((currency) => ({ currency, currency_digits: currencyDigits(currency) })),
      groups: Object.keys(settings.current.GroupRatio),
      // Also of plans that are deleted meanwhile.
      active: sum(figures, ({ active }) => active),
      expiring: sum(figures, ({ expiring }) => expiring),
      revenue: revenueOf(figures),
      revenue_quota: sum(figures, ({ revenue_quota }) => revenue_quota),
      recent_revenue: revenueOf(recent),
      recent_revenue_quota: sum(recent, ({ revenue_quota }) => revenue_quota),
    };
  };
}

interface Figures {
  plan_id: number;
  currency: string;
  active: number;
  expiring: number;
  sold: number;
  revenue_minor: number;
  revenue_quota: number;
}

/** By plan and currency, of what was sold since then. */
async function figuresOf({ store }: PlanDependencies, since: number): Promise<Figures[]> {
  const now = unixSeconds();
  const isActive = sql`s.status = 'active' and s.ends_at > ${now}`;
  const { rows } = await sql<Figures>`
    select s.plan_id, case s.source when 'order' then s.currency else '' end as currency,
      sum(case when ${isActive} then 1 else 0 end) as active,
      sum(case when ${isActive} and s.ends_at <= ${now + PLAN_EXPIRING_DAYS * DAY_SECONDS} then 1 else 0 end)
        as expiring,
      sum(case s.source when 'grant' then 0 else 1 end) as sold,
      sum(coalesce(o.amount_minor - o.refunded_minor, 0)) as revenue_minor,
      sum(case s.source when 'balance' then s.price_quota else 0 end) as revenue_quota
    from subscriptions s left join orders o on o.id = s.order_id
    where s.created_at >= ${since} group by 1, 2`.execute(store.db);
  return rows;
}

const sum = (rows: readonly Figures[], of: (row: Figures) => number) =>
  rows.reduce((total, row) => total + of(row), 0);

function revenueOf(rows: readonly Figures[]): PlanRevenue {
  const byCurrency = new Map<string, number>();
  for (const { currency, revenue_minor } of rows)
    if (currency !== '') byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + revenue_minor);
  return [...byCurrency].map(([currency, amount_minor]) => ({
    currency,
    currency_digits: currencyDigits(currency),
    amount_minor,
  }));
}

/** The fields that an administrator sets. */
function fieldsOf(plan: Plan): PlanFields {
  const { id: _id, currency_digits: _digits, ...fields } = planBaseOf(plan);
  return { ...fields, on_sale: plan.on_sale === 1, sort_order: plan.sort_order };
}

function managedPlanOf(plan: Plan, figures: readonly Figures[]): ManagedPlan {
  const own = figures.filter(({ plan_id }) => plan_id === plan.id);
  return {
    ...planBaseOf(plan),
    on_sale: plan.on_sale === 1,
    sort_order: plan.sort_order,
    created_at: plan.created_at,
    active: sum(own, ({ active }) => active),
    expiring: sum(own, ({ expiring }) => expiring),
    sold: sum(own, ({ sold }) => sold),
    revenue: revenueOf(own),
    revenue_quota: sum(own, ({ revenue_quota }) => revenue_quota),
  };
}

export function createPlan(dependencies: PlanDependencies): Handler<typeof plans.create> {
  return async ({ body }, context) => {
    const columns = columnsOf(dependencies, body, undefined);
    const plan = await dependencies.store.db
      .transaction()
      .execute((transaction) => savePlan(context, transaction, undefined, columns));
    return managedPlanOf(plan, []);
  };
}

export function changePlan(dependencies: PlanDependencies): Handler<typeof plans.change> {
  const { store } = dependencies;
  return async ({ params, body }, context) => {
    const plan = await store.db.transaction().execute(async (transaction) => {
      const before = await lockRow(store, transaction, 'plans', params.id);
      if (before === undefined || before.deleted_at !== null) throw new AppError('not_found');
      const present = fieldsOf(before);
      const target = `plan:${params.id}` as const;
      await refuseConflict(transaction, { fields: planFields, body, present, target });
      const columns = columnsOf(dependencies, { ...present, ...editedFields(planFields, body) }, before);
      return await savePlan(context, transaction, before, columns);
    });
    return managedPlanOf(plan, await figuresOf(dependencies, 0));
  };
}

export function columnsOf(
  {
    settings,
    payments,
  }: Pick<PlanDependencies, 'settings'> & { payments: Pick<PlanDependencies['payments'], 'providers'> },
  fields: PlanFields,
  before: Plan | undefined,
): RowChange<'plans'> & { name: string } {
  const { duration_unit, duration_count, price_minor, price_quota, group, on_sale } = fields;
  const longest = duration_unit === 'day' ? PLAN_DAYS_MAX : PLAN_MONTHS_MAX;
  if (duration_count > longest) throw invalidField('duration_count', atMost(longest));
  if (intervalOf(fields) === undefined) throw new AppError('plan_periods_uneven', {}, { field: 'reset' });
  if (group !== '' && !Object.hasOwn(settings.current.GroupRatio, group))
    throw new AppError('group_unknown', { group }, { field: 'group' });
  if (on_sale && price_minor === 0 && price_quota === 0)
    throw new AppError('plan_no_price', {}, { field: 'price_quota' });
  const currency = price_minor === 0 ? '' : fields.currency;
  const isKnown = payments.providers.methods().some((method) => method.currency === currency);
  // A provider that was switched off must not keep other fields from being changed.
  if (price_minor > 0 && (currency === '' || (!isKnown && currency !== before?.currency)))
    throw new AppError('plan_currency_unknown', {}, { field: 'currency' });
  const models = [...new Set(fields.models)].join(',');
  return { ...fields, currency, models, on_sale: on_sale ? 1 : 0 };
}
