// The cause of a failed call as one word, from its log row and, if known, the last status of an upstream.

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
  'other',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

export function failureCause(content: string, lastStatus = -1): FailureCause {
  const said = /\b([45]\d\d)\b/.exec(content)?.[1];
  const status = Number(said ?? lastStatus);
  if (/timeout/i.test(content) || status === 408 || status === 504 || status === 524) return 'timeout';
  if (content.startsWith('stream ')) return 'broken';
  if (status === 429) return 'saturated';
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402) return 'balance';
  if (status === 404) return 'notFound';
  if (status === 413) return 'tooLarge';
  if (status >= 400 && status < 500) return 'badRequest';
  if (status >= 500) return 'upstream';
  return status === 0 || /network|refused|reset|connect/i.test(content) ? 'silent' : 'other';
}
