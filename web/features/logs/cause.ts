/** Why a call failed, in plain words: from what the row says and, for administrators, what the upstream answered. */
import type { LogDetails } from './other.ts';

export const CAUSES = [
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
export type Cause = (typeof CAUSES)[number];

export function causeOf(content: string, { attempts }: Pick<LogDetails, 'attempts'>): Cause {
  const said = /\b([45]\d\d)\b/.exec(content)?.[1];
  const status = Number(said ?? attempts?.at(-1)?.status ?? -1);
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
