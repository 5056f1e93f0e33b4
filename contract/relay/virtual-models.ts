// Virtual models: a name that callers use, and the models that answer for it. The targets are tried in order: the first whose
// conditions hold gets the call, and the next one whose conditions hold gets it when that one fails in a way it names. A target is
// always a plain model, never another virtual one, so that no loop is possible.
import { z } from 'zod';
import { pageEvents } from '#contract/admin/page-parts.ts';
import { unitPrice } from '#contract/admin/thing-parts.ts';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import type { CustomProblem } from '#contract/problem-words.ts';
import { HEDGE_STATES } from './hedging.ts';
import { FALLBACK_KINDS, SKIP_REASONS, type ConditionName, type FallbackKind } from './virtual-reasons.ts';

/** Of a target that names none. What a filter refused is sent to another model only where the operator says so. */
const USUAL_FALLBACKS: FallbackKind[] = FALLBACK_KINDS.filter((kind) => kind !== 'content_filter');

const modelName = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .refine((name) => !/[\s,\p{Cc}]|\.\.|%0/iu.test(name), 'model_name' satisfies CustomProblem);
const clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);
const values = z.array(z.string().min(1).max(200)).min(1).max(50);
const tokens = z.int().min(1).max(1e9);
const dollars = z.number().gt(0).max(1_000_000);

/** Headers that carry keys are no conditions: their values would stand in lists and in the audit trail. */
const SECRET_HEADERS = /^(?:authorization|proxy-authorization|cookie|x-api-key|x-goog-api-key|api-key)$/;
const headerName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/)
  .refine((name) => !SECRET_HEADERS.test(name), 'secret_header' satisfies CustomProblem);

/** All that are given must hold; a target without any takes every call. */
const conditions = z
  .strictObject({
    /** The prompt has at least so many tokens, as estimated. */
    prompt_at_least: tokens,
    prompt_at_most: tokens,
    /** The estimated prompt fits into the context of the model; one whose context is not known fits always. */
    fits_context: z.literal(true),
    /** true: the call has some; false: it has none. */
    pictures: z.boolean(),
    files: z.boolean(),
    tools: z.boolean(),
    structured_output: z.boolean(),
    /** `none` also stands for a call that asks for no effort. */
    reasoning_efforts: z
      .array(z.string().regex(/^[a-z]{1,20}$/))
      .min(1)
      .max(10),
    /** One of the values; without values the header must be there. */
    header: z.strictObject({ name: headerName, values: values.optional() }),
    tag: z.strictObject({
      key: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[\w.-]{1,64}$/),
      values: values.optional(),
    }),
    groups: z.array(z.string().min(1).max(64)).min(1).max(50),
    /** In the time zone of the site; over midnight when `to` is the earlier one. Day 1 is Monday. */
    hours: z.strictObject({
      from: clock,
      to: clock,
      days: z.array(z.int().min(1).max(7)).min(1).max(7).optional(),
    }),
    /** Of all conversations; each one stays with its target. The shares of a virtual model together are at most 100. */
    share_percent: z.number().gt(0).max(100),
    /** The caller can spend less than so many dollars, from the balance or with this API key. */
    budget_below: dollars,
    /** The call can cost at most so many dollars at this target. */
    max_cost: dollars,
  } satisfies Record<ConditionName, z.ZodType>)
  .partial();
export type TargetConditions = z.output<typeof conditions>;
const target = z.strictObject({
  model: modelName,
  when: conditions.default({}),
  fall_back_on: z
    .array(z.enum(FALLBACK_KINDS))
    .max(FALLBACK_KINDS.length)
    .default(() => [...USUAL_FALLBACKS]),
  /** A target that sends nothing for so long has failed; left out: as the setting for all calls. */
  first_token_seconds: z.int().min(1).max(3600).optional(),
});
export type VirtualTarget = z.output<typeof target>;

const isWithinHundred = (targets: readonly VirtualTarget[]): boolean =>
  targets.reduce((sum, { when }) => sum + (when.share_percent ?? 0), 0) <= 100 + 1e-9;

const isInOrder = (targets: readonly VirtualTarget[]): boolean =>
  targets.every(
    ({ when: { prompt_at_least: least = 0, prompt_at_most: most = Number.POSITIVE_INFINITY } }) =>
      least <= most,
  );

export const virtualModelFields = z.object({
  name: modelName,
  description: z.string().trim().max(500).default(''),
  enabled: z.boolean().default(true),
  /** `answered`: as the model that answered. `own`: as the name itself, which then needs a price. */
  price: z.enum(['answered', 'own']).default('answered'),
  /** Which name the body of an answer has; the header X-Tollgate-Model has the model that answered in any case. */
  body_model: z.enum(['asked', 'answered']).default('asked'),
  /** The name is also that of a model of channels, whose calls now go by these targets. */
  replaces_model: z.boolean().default(false),
  /** A stream whose first token is late gets a second attempt on another channel of the same target. */
  hedge: z.boolean().default(false),
  targets: z
    .array(target)
    .min(1)
    .max(20)
    .refine(isWithinHundred, 'shares_over_hundred' satisfies CustomProblem)
    .refine(isInOrder, 'prompt_bounds' satisfies CustomProblem),
});
export type VirtualModelFields = z.output<typeof virtualModelFields>;

export const virtualModelView = virtualModelFields.extend({
  id: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
  /** Those in which some target has a channel that is on and a price, as far as conditions on groups allow. */
  groups: z.array(z.string()),
  /** Targets that no channel has. */
  unserved: z.array(z.string()),
  /** Channels have a model of the same name. */
  is_shadowing: z.boolean(),
});
export type VirtualModelView = z.output<typeof virtualModelView>;

const virtualModelPage = z.object({
  now: z.number(),
  model: virtualModelView,
  /** Each model once, in order. */
  targets: z.array(
    z.object({
      model: z.string(),
      /** Enabled channels that offer it, and all that name it. */
      channels: z.number(),
      all_channels: z.number(),
      /** Of the enabled ones. */
      groups: z.array(z.string()),
      /** In the groups of the virtual model that reach this target; null: calls of it are refused there. */
      prices: z.array(z.object({ group: z.string(), price: unitPrice.nullable() })),
    }),
  ),
  /** Of the name itself in the groups of the virtual model. */
  own_prices: z.array(z.object({ group: z.string(), price: unitPrice.nullable() })),
  events: pageEvents,
});
export type VirtualModelPage = z.output<typeof virtualModelPage>;

const simulationRequest = z.strictObject({
  /** The name that the request asks for. */
  name: modelName,
  /** Tried in place of the saved virtual model of that name. */
  draft: virtualModelFields.optional(),
  group: z.string().min(1).max(64).default('default'),
  format: z
    .enum(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'])
    .default('openai-chat'),
  /** The body of the request. */
  request: z.record(z.string(), z.unknown()),
  headers: z.record(z.string().max(64), z.string().max(1000)).default({}),
  /** Dollars that the caller can spend; left out: more than any condition asks. */
  spendable: z.number().min(0).max(1e12).optional(),
});
export type SimulationRequest = z.output<typeof simulationRequest>;

const simulation = z.object({
  /** False: the name is that of a plain model, or of none. */
  is_virtual: z.boolean(),
  /** Of the target that gets the call; null: none does. */
  hedging: z
    .object({
      state: z.enum(HEDGE_STATES),
      /** Milliseconds after which its first token is late on each of its channels; null: too few were measured on this node. */
      waits: z.array(
        z.object({ channel_id: z.number(), name: z.string(), milliseconds: z.number().nullable() }),
      ),
    })
    .nullable(),
  targets: z.array(
    z.object({
      model: z.string(),
      /** `first` gets the call; `next` gets it after a failure that the one before it names. */
      outcome: z.enum(['first', 'next', 'skipped']),
      /** Of a skipped one. */
      reason: z.enum(SKIP_REASONS).nullable(),
      fall_back_on: z.array(z.enum(FALLBACK_KINDS)),
      /** Of the group, busy or not. */
      channels: z.number(),
      prompt_tokens: z.number().nullable(),
      context_tokens: z.number().nullable(),
      /** Dollars that the call can cost at most. */
      most_cost: z.number().nullable(),
    }),
  ),
});
export type Simulation = z.output<typeof simulation>;

const ADMIN = { access: 'admin' } as const;

export const virtualModels = {
  list: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/virtual-model/',
    summary: { zh: '虚拟模型列表', en: 'List virtual models' },
    returns: z.array(virtualModelView),
  }),
  page: endpoint({
    ...ADMIN,
    method: 'GET',
    path: '/api/virtual-model/page',
    summary: { zh: '虚拟模型页面', en: 'The page of a virtual model' },
    // In the query, because names may contain slashes.
    query: z.object({ name: z.string().min(1).max(255) }),
    returns: virtualModelPage,
  }),
  create: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/virtual-model/',
    summary: { zh: '新建虚拟模型', en: 'Create a virtual model' },
    body: virtualModelFields,
    returns: virtualModelView,
  }),
  change: endpoint({
    ...ADMIN,
    method: 'PUT',
    path: '/api/virtual-model/{id}',
    summary: { zh: '修改虚拟模型', en: 'Change a virtual model' },
    params: idParams,
    body: virtualModelFields.extend({ based_on: basedOn }),
    returns: virtualModelView,
  }),
  remove: endpoint({
    ...ADMIN,
    method: 'DELETE',
    path: '/api/virtual-model/{id}',
    summary: { zh: '删除虚拟模型', en: 'Delete a virtual model' },
    params: idParams,
    returns: z.null(),
  }),
  simulate: endpoint({
    ...ADMIN,
    method: 'POST',
    path: '/api/virtual-model/simulate',
    summary: {
      zh: '模拟一次调用：每个目标是否会被选中及原因',
      en: 'Simulate a call: which target gets it, and why not the others',
    },
    body: simulationRequest,
    returns: simulation,
  }),
};
