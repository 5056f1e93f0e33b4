// What an administrator sets of a plan.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import {
  PLAN_RESETS,
  PLAN_UNITS,
  PLAN_NAME_MAX,
  PLAN_DESCRIPTION_MAX,
  PLAN_QUOTA_MAX,
  PLAN_PRICE_MAX,
} from './plan-schedule.ts';

const money = z.number().int().min(0);

export const planFields = z.object({
  name: z.string().trim().min(1).max(PLAN_NAME_MAX),
  /** The English version, as `description_en`; empty: there is only the other. */
  name_en: z.string().trim().max(PLAN_NAME_MAX).default(''),
  description: z.string().trim().max(PLAN_DESCRIPTION_MAX).default(''),
  description_en: z.string().trim().max(PLAN_DESCRIPTION_MAX).default(''),
  /** In the currency's smallest unit; 0 = not sold for money. */
  price_minor: money.max(PLAN_PRICE_MAX).default(0),
  /** ISO 4217; empty without a price in money. */
  currency: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^(?:[A-Z]{3})?$/)
    .default(''),
  /** 0 = not sold for balance. */
  price_quota: money.max(PLAN_QUOTA_MAX).default(0),
  duration_unit: z.enum(PLAN_UNITS),
  duration_count: z.number().int().min(1),
  /** Granted with every period. */
  quota: z.number().int().min(1).max(PLAN_QUOTA_MAX),
  reset: z.enum(PLAN_RESETS),
  /** Empty = every model. */
  models: z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .max(100)
        .regex(/^[^,]+$/),
    )
    .max(500)
    .default([]),
  /** The group of calls that the plan pays first for; empty = the user's own. */
  group: z.string().trim().max(64).default(''),
  on_sale: z.boolean().default(false),
  /** How often one user can buy it; 0 = no limit. */
  limit_per_user: z.number().int().min(0).max(1_000_000).default(0),
  sort_order: z.number().int().min(-1_000_000).max(1_000_000).default(0),
});
export type PlanFields = z.output<typeof planFields>;

/** A client that knows no English version leaves it as it is. */
export const changedPlanFields = planFields.extend({
  name_en: planFields.shape.name_en.unwrap().optional(),
  description_en: planFields.shape.description_en.unwrap().optional(),
  based_on: basedOn,
});
