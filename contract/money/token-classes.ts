// The kinds of tokens a call can use, each priced on its own; in the order in which charges are explained. Log rows keep
// their counts under these names.
export const TOKEN_CLASSES = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'imageInput',
  'audioInput',
  'output',
  'reasoning',
  'audioOutput',
] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];
