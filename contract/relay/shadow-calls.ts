// Shadow calls: a share of the calls of a model is copied to another model after the caller has the answer, and both answers are kept side
// by side. A comparison says which calls, which model answers the copies, and how much of the operator's money they may cost (ADR 124).
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import type { CustomProblem } from '#contract/problem-words.ts';

const modelName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .refine((name) => !/[\s,\p{Cc}]|\.\.|%0/iu.test(name), 'model_name' satisfies CustomProblem);
const groupName = z.string().min(1).max(64);
/** Unix seconds; 0: no bound. */
const moment = z.int().min(0).max(1e11);

/** Beyond that no copy is made until samples are deleted. */
export const SHADOW_MOST_SAMPLES = 2000;
/** Samples with their texts in one answer. */
export const SHADOW_TEXTS_AT_ONCE = 50;

export const shadowFields = z.object({
  name: z.string().trim().min(1).max(64),
  enabled: z.boolean().default(true),
  /** The name that callers ask for, of a plain or a virtual model. */
  model: modelName,
  /** Empty: the calls of all groups. */
  groups: z.array(groupName).max(50).default([]),
  /** A plain model. */
  target_model: modelName,
  /** Whose channels answer the copies; empty: those of the caller's group. */
  target_group: z.string().max(64).default(''),
  /** Of the calls that may be copied. */
  share_percent: z.number().min(0.01).max(100).default(1),
  dollars_per_day: z.number().min(0).max(10_000).default(1),
  most_samples: z.int().min(1).max(SHADOW_MOST_SAMPLES).default(200),
  from: moment.default(0),
  until: moment.default(0),
});
export type ShadowFields = z.output<typeof shadowFields>;

/** Why a call that was chosen got no copy. */
export const SHADOW_DROPS = ['busy', 'no_channel', 'no_price', 'money', 'full', 'too_long'] as const;
export type ShadowDrop = (typeof SHADOW_DROPS)[number];

const counts = z.object({
  made: z.number(),
  failed: z.number(),
  ...(Object.fromEntries(SHADOW_DROPS.map((reason) => [reason, z.number()])) as Record<
    ShadowDrop,
    z.ZodNumber
  >),
});

export const shadowView = shadowFields.extend({
  id: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
  /** Samples that are kept. */
  kept: z.number(),
  /** Quota units that its copies used of the limit of the day of the site. */
  spent_today: z.number(),
  /** Since it was made. */
  counts,
  /** No channel that is on has the target model. */
  is_unserved: z.boolean(),
});
export type ShadowView = z.output<typeof shadowView>;

/** One of the two answers of a sample. */
const side = z.object({
  model: z.string(),
  channel_id: z.number(),
  /** 0: the answer came in one piece. */
  first_token_ms: z.number(),
  time_ms: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Quota units that the operator pays; null: the channel has no buy price. */
  cost: z.number().nullable(),
  /** `complete`; `length` for a copy as long as it may be; else why there is no whole answer. */
  ending: z.string(),
});
export type ShadowSide = z.output<typeof side>;

const sample = z.object({
  id: z.number(),
  request_id: z.string(),
  user_id: z.number(),
  /** Blank for a user that is gone. */
  username: z.string(),
  group: z.string(),
  created_at: z.number(),
  is_stream: z.boolean(),
  /** What the caller got. */
  answered: side,
  copied: side,
});
export type ShadowSample = z.output<typeof sample>;

const textedSample = sample.extend({
  prompt: z.string(),
  answer: z.string(),
  copy: z.string(),
  /** Some of the texts were longer than what is kept. */
  is_cut: z.boolean(),
});
export type ShadowTexts = z.output<typeof textedSample>;

const sideSummary = z.object({
  /** Milliseconds; null without a sample. */
  median_first_token_ms: z.number().nullable(),
  p95_first_token_ms: z.number().nullable(),
  median_time_ms: z.number().nullable(),
  p95_time_ms: z.number().nullable(),
  /** Quota units, of the samples whose cost is known; null without one. */
  mean_cost: z.number().nullable(),
  known_costs: z.number(),
  failed: z.number(),
});
export type ShadowSideSummary = z.output<typeof sideSummary>;

const shadowPage = z.object({
  now: z.number(),
  shadow: shadowView,
  summary: z.object({ samples: z.number(), answered: sideSummary, copied: sideSummary }),
});
export type ShadowPage = z.output<typeof shadowPage>;

/** What a user or an organization says about copies of its calls. */
export const SHADOW_CONSENTS = ['unsaid', 'allowed', 'refused'] as const;
export type ShadowConsent = (typeof SHADOW_CONSENTS)[number];

const ADMIN = { access: 'admin' } as const;
/** Texts of users: the super admin's alone, after a confirmation, and each reading is audited. */
const TEXTS = { access: 'root', secret: true, sessionOnly: true, stepUp: true } as const;

const consentView = z.object({
  consent: z.enum(SHADOW_CONSENTS),
  /** Calls of those who said nothing are copied too. */
  is_for_everyone: z.boolean(),
});

export const shadowCalls = {
  list: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/shadow/',
    summary: { zh: '对比列表', en: 'List comparisons' },
    returns: z.array(shadowView),
  }),
  create: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/shadow/',
    summary: { zh: '新建对比', en: 'Create a comparison' },
    body: shadowFields,
    returns: shadowView,
  }),
  page: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/shadow/{id}',
    summary: { zh: '对比页面', en: 'The page of a comparison' },
    params: idParams,
    returns: shadowPage,
  }),
  change: endpoint({
    ...ADMIN,
    method: 'PUT',
    path: '/api/shadow/{id}',
    summary: { zh: '修改对比', en: 'Change a comparison' },
    params: idParams,
    body: shadowFields.extend({ based_on: basedOn }),
    returns: shadowView,
  }),
  remove: endpoint({
    ...ADMIN,
    method: 'DELETE',
    path: '/api/shadow/{id}',
    summary: { zh: '删除对比及其样本', en: 'Delete a comparison with its samples' },
    params: idParams,
    returns: z.null(),
  }),
  samples: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/shadow/{id}/samples',
    summary: { zh: '样本列表（不含文本）', en: 'List samples, without their texts' },
    params: idParams,
    query: z.object({
      outcome: z.enum(['all', 'answered', 'failed']).default('all'),
      /** Those older than this one. */
      before: z.coerce.number().int().min(1).optional(),
    }),
    returns: z.object({ samples: z.array(sample), has_more: z.boolean() }),
  }),
  texts: endpoint({
    ...TEXTS,
    method: 'POST',
    path: '/api/shadow/{id}/texts',
    summary: { zh: '查看样本的提示词与回答', en: 'Read prompts and answers of samples' },
    params: idParams,
    /** These, or the newest of those older than `before`. */
    body: z.object({
      ids: z.array(z.int().min(1)).max(SHADOW_TEXTS_AT_ONCE).optional(),
      before: z.int().min(1).optional(),
    }),
    returns: z.object({ samples: z.array(textedSample), has_more: z.boolean() }),
  }),
  removeSamples: endpoint({
    ...ADMIN,
    method: 'DELETE',
    path: '/api/shadow/{id}/samples',
    summary: { zh: '删除样本', en: 'Delete samples' },
    params: idParams,
    /** Without it all of them. */
    query: z.object({ sample: z.coerce.number().int().min(1).optional() }),
    /** How many there were. */
    returns: z.number(),
  }),
  consent: endpoint({
    method: 'GET',
    path: '/api/user/shadow-consent',
    access: 'user',
    organization: 'organization.manage',
    summary: { zh: '是否允许复制自己的调用', en: 'Whether your calls may be copied' },
    returns: consentView,
  }),
  saveConsent: endpoint({
    method: 'PUT',
    path: '/api/user/shadow-consent',
    access: 'user',
    organization: 'organization.manage',
    summary: { zh: '允许或拒绝复制自己的调用', en: 'Allow or refuse copies of your calls' },
    body: z.object({ consent: z.enum(SHADOW_CONSENTS) }),
    returns: consentView,
  }),
};
