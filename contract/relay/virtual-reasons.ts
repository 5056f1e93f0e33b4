// How a target of a virtual model fails, and why it gets no call. Without schemas, so that the console loads none for its words.

/** How a target can fail before the first byte of an answer. */
export const FALLBACK_KINDS = [
  'down',
  'overloaded',
  'rate_limit',
  'first_token_timeout',
  'context_too_long',
  'content_filter',
  'unsupported',
] as const;
export type FallbackKind = (typeof FALLBACK_KINDS)[number];

/** Those of `TargetConditions`. */
export const CONDITION_NAMES = [
  'prompt_at_least',
  'prompt_at_most',
  'fits_context',
  'pictures',
  'files',
  'tools',
  'structured_output',
  'reasoning_efforts',
  'header',
  'tag',
  'groups',
  'hours',
  'share_percent',
  'budget_below',
  'max_cost',
] as const;
export type ConditionName = (typeof CONDITION_NAMES)[number];

/** Why a target gets no call: the first condition that does not hold, or what is missing. */
export const SKIP_REASONS = [
  ...CONDITION_NAMES,
  'no_channel',
  'no_price',
  'unsupported',
  'other_channel',
  'not_next',
  'other_budget',
  'busy',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];
