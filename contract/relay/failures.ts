// The causes of failed calls, each one word. failure-cause.ts finds the cause of a log row.

export const FAILURE_CAUSES = [
  'saturated',
  'credentials',
  'balance',
  'notFound',
  'tooLarge',
  'badRequest',
  'timeout',
  'silent',
  'upstream',
  'broken',
  'refused',
  'other',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];
