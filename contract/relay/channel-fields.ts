// Channels: the fields an operator sets, the view that the API returns, and the requirements of each type of upstream.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { CHANNEL_ORDERS } from '#contract/money/margin-settings.ts';
import { pauseCause } from './channel-limits.ts';

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;
export const PRIORITY_MIN = -999;
export const PRIORITY_MAX = 999_999;
export const WEIGHT_MAX = 999_999;
/** Template of a model mapping in the tag dialog. */
export const MAPPING_TEMPLATE = { 'gpt-3.5-turbo': 'gpt-3.5-turbo-0125' } as const;
/** Response time in seconds up to which a test is green, lime, yellow; above is red, 0 is untested. */
export const RESPONSE_SECONDS = { green: 1, lime: 3, yellow: 5 } as const;

/** Accepts a comma list or an array; the API returns a comma list. */
export const commaList = z
  .union([z.string().max(100_000), z.array(z.string().max(255)).max(5000)])
  .transform((value) =>
    [
      ...new Set(
        (Array.isArray(value) ? value : value.split(',')).map((each) => each.trim()).filter(Boolean),
      ),
    ].join(','),
  );

/** JSON text or blank. The handler checks it, so that the refusal names the field. */
export const jsonText = z.string().trim().max(100_000);

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export const channelFields = z.object({
  name: z.string().trim().max(100),
  type: z.number().int().min(1).max(999),
  base_url: z
    .string()
    .trim()
    .max(500)
    .transform((url) => url.replace(/\/+$/, '')),
  other: z.string().max(20_000),
  models: commaList,
  groups: commaList,
  model_mapping: jsonText,
  tag: z.string().trim().max(64).nullable(),
  priority: z.number().int().min(PRIORITY_MIN).max(PRIORITY_MAX),
  /** Below 0 becomes 0. */
  weight: z
    .number()
    .int()
    .max(WEIGHT_MAX)
    .transform((weight) => Math.max(0, weight)),
  setting: jsonText,
  openai_organization: z.string().trim().max(200),
  test_model: z.string().trim().max(255),
  auto_ban: z.union([z.literal(0), z.literal(1)]),
  status_code_mapping: jsonText,
  param_override: jsonText,
  header_override: jsonText,
  max_concurrency: z.number().int().min(0).max(1_000_000),
  /** 0: none. */
  supplier_id: z.number().int().min(0),
  /** JSON text of a buy price (channel-costs.ts); empty: that of the supplier. */
  buy_price: jsonText,
});

/** `key`: one per line makes one channel per line, except where a type takes JSON credentials. */
export const channelCreate = channelFields.partial().extend({
  name: channelFields.shape.name,
  type: channelFields.shape.type,
  key: z.string().max(1_000_000),
  models: channelFields.shape.models,
  groups: channelFields.shape.groups.optional(),
  /** Older name of `groups`, which existing API clients send. */
  group: commaList.optional(),
});

/** PUT takes any subset beside the id; a blank or masked key keeps the stored one. */
export const channelChange = channelFields.partial().extend({
  id: z.number().int().positive(),
  key: z.string().max(1_000_000).optional(),
  group: commaList.optional(),
  status: z.union([z.literal(1), z.literal(2)]).optional(),
  /** The base of `key` is `key_hint`. */
  based_on: basedOn,
});

/** The readable members of `other_info`. */
export interface ChannelOtherInfo {
  status_reason?: string;
  /** What the upstream said when the channel was disabled. */
  status_words?: string;
  status_time?: number;
  test_error?: string;
}

export function channelOtherInfo(text: string): ChannelOtherInfo {
  return text !== '' && isJsonObject(text) ? (JSON.parse(text) as ChannelOtherInfo) : {};
}

export const channelView = z.object({
  id: z.number(),
  name: z.string(),
  type: z.number(),
  base_url: z.string(),
  other: z.string(),
  models: z.string(),
  group: z.string(),
  model_mapping: z.string(),
  tag: z.string().nullable(),
  priority: z.number(),
  weight: z.number(),
  setting: z.string(),
  openai_organization: z.string(),
  test_model: z.string(),
  auto_ban: z.number(),
  status_code_mapping: z.string(),
  param_override: z.string(),
  header_override: z.string(),
  max_concurrency: z.number(),
  supplier_id: z.number(),
  buy_price: z.string(),
  status: z.number(),
  response_time: z.number(),
  used_quota: z.number(),
  balance: z.number(),
  balance_updated_time: z.number(),
  test_time: z.number(),
  created_time: z.number(),
  /** JSON text with `status_reason` and `status_time`, and `test_error` while the last test failed. */
  other_info: z.string(),
  /** Formats the upstream was seen to refuse, as a comma list; calls in them are converted. */
  refused_formats: z.string(),
  /** Last four characters, to distinguish keys. */
  key_hint: z.string(),
  /** Good and failed attempts per hour of the last 24, oldest first; also attempts of calls that another channel answered. */
  health: z.array(z.object({ calls: z.number(), errors: z.number() })),
  /** Streams of the last 24 hours that the upstream broke off; they count in `health` too. */
  broken_streams: z.number(),
  /** Milliseconds to the first token of streams of the last 24 hours; 0 without streams. */
  first_token_p50: z.number(),
  first_token_p95: z.number(),
  /** The last failed attempt: when, and in the upstream's words; null when there was none. */
  last_error: z.object({ at: z.number(), request_id: z.string(), words: z.string() }).nullable(),
  /** Until then (unix seconds) the node that answers leaves the channel alone; 0: it does not. */
  cooling_until: z.number(),
  /** Models to which no call is sent for some time, though the channel serves the others. */
  paused_models: z.number(),
  /** Why the channel cannot be used; empty when it can. */
  problem: z.string(),
});
export type ChannelView = z.output<typeof channelView>;

/** Columns by which a list of channels can be sorted. */
export const CHANNEL_SORTS = [
  'id',
  'name',
  'priority',
  'weight',
  'used_quota',
  'balance',
  'response_time',
  'test_time',
  'success',
  'first_token',
] as const;

/** The form fields of one type of upstream, from the provider's own file. */
export const channelType = z.object({
  type: z.number(),
  name: z.string(),
  /** Two letters for the monogram tile. */
  mark: z.string(),
  default_base_url: z.string(),
  base_url_required: z.boolean(),
  /** Format of the key, such as `APIKey|SecretKey`; empty for a plain key. */
  key_format: z.string(),
  /** The key is JSON credentials: a line break does not separate two keys. */
  key_is_json: z.boolean(),
  /** Meaning of `other` for this type; empty when it has none. */
  other_label: z.object({ zh: z.string(), en: z.string() }),
  other_required: z.boolean(),
  /** An example of `other`. */
  other_example: z.string(),
  /** Another name for the address field; empty for the usual one. */
  base_url_label: z.object({ zh: z.string(), en: z.string() }),
  /** A note in the form; empty when there is none. */
  note: z.object({ zh: z.string(), en: z.string() }),
  models: z.array(z.string()),
  /** Choosing the type fills these models in. */
  presets_models: z.boolean(),
  /** The relay can call upstreams of this type. Others can be saved, but neither tested nor called. */
  is_ready: z.boolean(),
  can_list_models: z.boolean(),
  can_read_balance: z.boolean(),
  /** Currency of the upstream's balance. */
  balance_currency: z.enum(['USD', 'CNY']),
});
export type ChannelType = z.output<typeof channelType>;

/** Why a channel is not used for a route; the first reason that applies. */
export const ROUTE_REASONS = [
  'disabled',
  'auto_disabled',
  'no_group',
  'no_model',
  'type_not_ready',
  'other_format',
  'inconsistent',
] as const;

export const channelRoute = z.object({
  /** The setting that decides the places inside a tier. */
  order: z.enum(CHANNEL_ORDERS),
  /** Part of the calls that tries channels that are not measured. */
  exploration: z.number(),
  /** Highest priority first; a lower tier is used when all channels above it failed or are busy. */
  candidates: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      type: z.number(),
      /** From 1. */
      tier: z.number(),
      priority: z.number(),
      weight: z.number(),
      /** The part of its calls that the score of its supplier leaves, up to 1. */
      weight_factor: z.number(),
      /** From 1, inside its tier: a place is used when no channel of the places before it can be. */
      place: z.number(),
      /** What a usual call (3,000 tokens in, 1,000 out) costs the operator, in dollars; null: unknown. */
      cost: z.number().nullable(),
      /** Median of the last hours in milliseconds; 0: not measured. */
      first_token: z.number(),
      /** Chance to be chosen first in its tier, 0 to 1; a channel with 0 beside others is a reserve. */
      odds: z.number(),
      /** No call is sent, as the node that answers knows; its chance is 0. */
      cooling: z.boolean(),
      /** Why and for how long; null: it is not paused. `is_whole`: every model of the channel is. */
      pause: z.object({ cause: pauseCause, is_whole: z.boolean(), seconds: z.number() }).nullable(),
      /** A limit of the upstream is used up until its reset: it gets calls that no other channel can serve. */
      at_limit: z.boolean(),
      /** The part of its calls that it gets while less than half of a limit is left, up to 1. */
      limit_share: z.number(),
      /** The model name that is sent to the upstream. */
      upstream_model: z.string(),
    }),
  ),
  others: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      type: z.number(),
      reason: z.enum(ROUTE_REASONS),
      /** Reason of an automatic disable. */
      detail: z.string(),
    }),
  ),
});
export type ChannelRoute = z.output<typeof channelRoute>;
