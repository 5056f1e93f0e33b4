// Budgets of an organization: what may be spent of its balance in a window, by whom and on what. Members ask for more; those who
// manage budgets grant it.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { BUDGET_WINDOWS } from '#contract/money/budget-windows.ts';

export const BUDGET_NAME_MAX = 50;
export const BUDGETS_MAX = 500;
/** Of one tag: values beyond it have no budget of their own. */
export const BUDGET_VALUES_MAX = 10_000;
/** Answered with a budget: those that have spent most. */
export const BUDGET_VALUES_SHOWN = 50;
export const TAG_KEY = /^[a-z][a-z0-9_.-]{0,31}$/;
export const TAG_KEYS_MAX = 20;
export const TAG_VALUE_MAX = 100;

export const BUDGET_SUBJECTS = ['organization', 'project', 'member', 'token', 'tag'] as const;
export type BudgetSubject = (typeof BUDGET_SUBJECTS)[number];
export const BUDGET_PERIODS = [...BUDGET_WINDOWS, 'total'] as const;
export type BudgetPeriodName = (typeof BUDGET_PERIODS)[number];

const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const more = z.number().int().positive().max(1_000_000_000_000);
const name = z.string().trim().min(1).max(BUDGET_NAME_MAX);
const reason = z.string().trim().max(500);
const tagKey = z.string().regex(TAG_KEY);
const tagValue = z.string().trim().max(TAG_VALUE_MAX);

const changeable = z.object({
  name,
  /** Quota units in each window. */
  quota: amount,
  /** True: calls are refused. False: notices only. */
  is_hard: z.boolean(),
  /** Comma list of model names; blank: every model. */
  models: z.string().max(50_000),
});

const budgetFields = changeable.extend({
  subject: z.enum(BUDGET_SUBJECTS),
  /** Of the project, the member (user id) or the key; 0 for the other subjects. */
  subject_id: z.number().int().min(0),
  /** Of a tag. */
  tag_key: z.union([z.literal(''), tagKey]),
  /** Blank: every value of the tag has the amount for itself. */
  tag_value: tagValue,
  period: z.enum(BUDGET_PERIODS),
});

export const budgetCounterView = z.object({
  id: z.number(),
  /** Of the tag, where every value has the amount for itself; else blank. */
  value: z.string(),
  spent: z.number(),
  /** By running calls. */
  held: z.number(),
  /** Granted on top in this window. */
  extra: z.number(),
  left: z.number(),
});

export const budgetView = budgetFields.extend({
  id: z.number(),
  /** Blank: it is not known any more. */
  subject_name: z.string(),
  created_at: z.number(),
  /** Its project is archived, its member has left, or its key is deleted: it applies to no call. */
  ended: z.boolean(),
  window_start: z.number(),
  /** When the next window begins; 0 of a budget without an end. */
  resets_at: z.number(),
  spent: z.number(),
  held: z.number(),
  extra: z.number(),
  /** Null where every value of a tag has the amount for itself. */
  left: z.number().nullable(),
  /** What will be spent at the end of the window at the pace so far; null: too early to say, or without an end. */
  forecast: z.number().nullable(),
  /** One, or those values of the tag that have spent most. */
  counters: z.array(budgetCounterView),
});
export type BudgetView = z.output<typeof budgetView>;

export const budgetRequestView = z.object({
  id: z.number(),
  budget_id: z.number(),
  budget_name: z.string(),
  value: z.string(),
  asked_by: z.number(),
  asked_by_name: z.string(),
  amount: z.number(),
  reason: z.string(),
  status: z.enum(['open', 'granted', 'declined']),
  granted: z.number(),
  answer: z.string(),
  created_at: z.number(),
  decided_at: z.number(),
  decided_by_name: z.string(),
});
export type BudgetRequestView = z.output<typeof budgetRequestView>;

/** A new one; what is left out has no meaning for its subject, or is what is usual. */
const newBudget = budgetFields.partial({
  is_hard: true,
  models: true,
  subject_id: true,
  tag_key: true,
  tag_value: true,
});
export type NewBudget = z.output<typeof newBudget>;

const changedBudget = changeable.partial().extend({ based_on: basedOn });

export const tagKeys = z.object({ keys: z.array(z.string()) });

const scoped = { access: 'user', organizationOnly: true } as const;
/** All budgets, or those that bound one's own calls. */
const READING = { own: 'budgets.own', all: 'budgets.read' } as const;
const PATH = '/api/organization/budgets';
const REQUESTS = '/api/organization/budget_requests';

export const budgets = {
  /** By name; without the right to see all: those that bound one's own calls. */
  list: endpoint({
    ...scoped,
    method: 'GET',
    path: PATH,
    organization: READING,
    summary: { zh: '预算列表', en: 'List the budgets' },
    returns: z.array(budgetView),
  }),
  create: endpoint({
    ...scoped,
    method: 'POST',
    path: PATH,
    organization: 'budgets.manage',
    summary: { zh: '创建预算', en: 'Create a budget' },
    body: newBudget,
    returns: budgetView,
  }),
  /** A sheet of changes: all of them or none. A refusal names the row as `change.0.name`. */
  save: endpoint({
    ...scoped,
    method: 'PUT',
    path: PATH,
    organization: 'budgets.manage',
    summary: { zh: '一次保存多项预算', en: 'Save several budgets at once' },
    body: z.object({
      create: z.array(newBudget).max(BUDGETS_MAX).default([]),
      change: z.array(changedBudget.extend(idParams.shape)).max(BUDGETS_MAX).default([]),
      remove: z.array(idParams.shape.id).max(BUDGETS_MAX).default([]),
    }),
    returns: z.array(budgetView),
  }),
  change: endpoint({
    ...scoped,
    method: 'PUT',
    path: `${PATH}/{id}`,
    organization: 'budgets.manage',
    summary: { zh: '修改预算', en: 'Change a budget' },
    params: idParams,
    body: changedBudget,
    returns: budgetView,
  }),
  /** Running calls settle; what they spent stays in the log. */
  remove: endpoint({
    ...scoped,
    method: 'DELETE',
    path: `${PATH}/{id}`,
    organization: 'budgets.manage',
    summary: { zh: '删除预算', en: 'Delete a budget' },
    params: idParams,
    returns: z.null(),
  }),
  ask: endpoint({
    ...scoped,
    method: 'POST',
    path: `${PATH}/{id}/requests`,
    organization: 'budgets.ask',
    summary: { zh: '申请更多预算', en: 'Ask for a budget increase' },
    params: idParams,
    /** `value`: of the tag, where every value has the amount for itself. */
    body: z.object({ amount: more, reason: reason.default(''), value: tagValue.default('') }),
    returns: budgetRequestView,
  }),
  /** The newest first; open ones before those that were decided. */
  requests: endpoint({
    ...scoped,
    method: 'GET',
    path: REQUESTS,
    organization: READING,
    summary: { zh: '预算申请列表', en: 'List the budget requests' },
    returns: z.array(budgetRequestView),
  }),
  /** On top of the budget, until its window ends. */
  grant: endpoint({
    ...scoped,
    method: 'POST',
    path: `${REQUESTS}/{id}/grant`,
    organization: 'budgets.manage',
    summary: { zh: '批准预算申请', en: 'Approve a budget request' },
    params: idParams,
    /** Without an amount: what was asked for. */
    body: z.object({ amount: more.optional(), answer: reason.default('') }),
    returns: budgetRequestView,
  }),
  decline: endpoint({
    ...scoped,
    method: 'POST',
    path: `${REQUESTS}/{id}/decline`,
    organization: 'budgets.manage',
    summary: { zh: '拒绝预算申请', en: 'Decline a budget request' },
    params: idParams,
    body: z.object({ answer: reason.default('') }),
    returns: budgetRequestView,
  }),
  tagKeys: endpoint({
    ...scoped,
    method: 'GET',
    path: '/api/organization/tag_keys',
    organization: 'organization.read',
    summary: { zh: '允许的标签', en: 'List the tags that are kept' },
    returns: tagKeys,
  }),
  /** Tags with other keys are not kept, and no budget counts them. */
  changeTagKeys: endpoint({
    ...scoped,
    method: 'PUT',
    path: '/api/organization/tag_keys',
    organization: 'organization.manage',
    summary: { zh: '修改允许的标签', en: 'Change the tags that are kept' },
    body: z.object({ keys: z.array(tagKey).max(TAG_KEYS_MAX), based_on: basedOn }),
    returns: tagKeys,
  }),
};
