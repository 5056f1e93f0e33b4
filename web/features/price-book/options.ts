/** The options that a draft holds; the sheet edits the first five, the others are edited as JSON. */
export const OPTIONS = [
  'ModelPrice',
  'PriceUnit',
  'ResolutionPrice',
  'ModelRatio',
  'CompletionRatio',
  'GroupRatio',
  'PriceRules',
  'CacheRatio',
  'CreateCacheRatio',
  'CreateCache1hRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ReasoningRatio',
  'BatchRatio',
] as const;
export type OptionName = (typeof OPTIONS)[number];

export const TEXT_OPTIONS: readonly OptionName[] = OPTIONS.slice(5);
