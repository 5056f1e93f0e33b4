/** The values of the form of a plan, their problems, and the request body; without React, for unit tests. */
import { baseOf } from '#web/ui/conflict/save-on-base.ts';
import { intervalOf, PLAN_DAYS_MAX, PLAN_MONTHS_MAX } from '#contract/money/plan-schedule.ts';
import { type ManagedPlan, type PlanFields } from '#contract/money/plans.ts';

export type PlanFormValues = PlanFields;
export type Problem = 'name' | 'quota' | 'duration' | 'uneven' | 'price' | 'currency';

/** The words of each field, for a question about it. */
export const LABELS = {
  name: 'form.name',
  name_en: 'form.nameEn',
  description: 'form.description',
  description_en: 'form.descriptionEn',
  price_minor: 'form.priceMinor',
  currency: 'form.currency',
  price_quota: 'form.priceQuota',
  duration_unit: 'form.duration',
  duration_count: 'form.duration',
  quota: 'form.quota',
  reset: 'form.reset',
  models: 'form.models',
  group: 'form.group',
  on_sale: 'form.onSale',
  limit_per_user: 'form.limit',
  sort_order: 'form.sort',
} as const satisfies Record<keyof PlanFormValues, string>;

export function formValues(plan: ManagedPlan | undefined, currency: string): PlanFormValues {
  if (plan)
    return {
      name: plan.name,
      name_en: plan.name_en,
      description: plan.description,
      description_en: plan.description_en,
      price_minor: plan.price_minor,
      currency: plan.currency || currency,
      price_quota: plan.price_quota,
      duration_unit: plan.duration_unit,
      duration_count: plan.duration_count,
      quota: plan.quota,
      reset: plan.reset,
      models: plan.models,
      group: plan.group,
      on_sale: plan.on_sale,
      limit_per_user: plan.limit_per_user,
      sort_order: plan.sort_order,
    };
  return {
    name: '',
    name_en: '',
    description: '',
    description_en: '',
    price_minor: 0,
    currency,
    price_quota: 0,
    duration_unit: 'month',
    duration_count: 1,
    quota: 5_000_000,
    reset: 'monthly',
    models: [],
    group: '',
    on_sale: false,
    limit_per_user: 0,
    sort_order: 0,
  };
}

export function problemsOf(values: PlanFormValues): Partial<Record<keyof PlanFormValues, Problem>> {
  const longest = values.duration_unit === 'day' ? PLAN_DAYS_MAX : PLAN_MONTHS_MAX;
  const isCount = Number.isInteger(values.duration_count) && values.duration_count >= 1;
  return {
    ...(values.name.trim() === '' ? { name: 'name' as const } : {}),
    ...(values.quota < 1 ? { quota: 'quota' as const } : {}),
    ...(isCount && values.duration_count <= longest ? {} : { duration_count: 'duration' as const }),
    ...(intervalOf(values) === undefined ? { reset: 'uneven' as const } : {}),
    ...(values.on_sale && values.price_minor === 0 && values.price_quota === 0
      ? { price_quota: 'price' as const }
      : {}),
    ...(values.price_minor > 0 && values.currency === '' ? { currency: 'currency' as const } : {}),
  };
}

export function bodyOf(values: PlanFormValues): PlanFields {
  return { ...values, currency: values.price_minor > 0 ? values.currency : '' };
}

/** What the fields were loaded with. */
export function baseBody(plan: ManagedPlan, { initial, base }: Record<'initial' | 'base', PlanFormValues>) {
  return baseOf({ view: plan, initial: bodyOf(initial), base: bodyOf(base) });
}
