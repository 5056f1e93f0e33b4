// The cause of a failed call as one word, from its log row and, if known, the last status of an upstream. Apart from the
// list of causes, which every page loads.
import type { FailureCause } from './failures.ts';

/** The beginning of the content of calls that were refused before any attempt; the name of the error follows. */
export const REFUSED = 'refused ';

/** What users read in place of a status about the operator's key or account. */
export const UPSTREAM_FAILED = 'upstream_failed';

/** A status about the operator's key or account; the upstream's name for it may follow. */
const OPERATOR_STATUS = /^status (?:401|402|403|407)\b/;

/** The operator's account at the upstream is empty; some upstreams say so with 429 or 400. */
const EMPTY_ACCOUNT =
  /^status \d{3} (?:insufficient_(?:user_)?quota|insufficient_balance|exceeded_current_quota_error|account_?overdue(?:error)?)\b/i;

/** The content of a failed call as its user may read it. */
export const publicContent = (content: string): string =>
  OPERATOR_STATUS.test(content) || EMPTY_ACCOUNT.test(content) ? UPSTREAM_FAILED : content;

/** Of failed tasks, by the code of their fact. */
const TASK_CAUSES: Partial<Record<string, FailureCause>> = {
  taskUnconfirmed: 'upstream',
  drawingFailed: 'upstream',
  drawingLate: 'timeout',
  musicFailed: 'upstream',
  musicLate: 'timeout',
  videoFailed: 'upstream',
  videoLate: 'timeout',
  videoLost: 'upstream',
  batchExpired: 'timeout',
  batchLate: 'timeout',
  batchRefused: 'badRequest',
};

/** `content` as stored, or the `code` of the row as its reader gets it. */
export function failureCause(content: string, lastStatus = -1): FailureCause {
  const task = TASK_CAUSES[/^\{"fact":"(\w+)"/.exec(content)?.[1] ?? content];
  if (task !== undefined) return task;
  if (content.startsWith(REFUSED)) return 'refused';
  if (content === UPSTREAM_FAILED) return 'upstream';
  const said = /\b([45]\d\d)\b/.exec(content)?.[1];
  const status = Number(said ?? lastStatus);
  if (/timeout/i.test(content) || status === 408 || status === 504 || status === 524) return 'timeout';
  if (content.startsWith('stream ')) return 'broken';
  if (EMPTY_ACCOUNT.test(content)) return 'balance';
  if (status === 429) return 'saturated';
  if (status === 401 || status === 403) return 'credentials';
  if (status === 402) return 'balance';
  if (status === 404) return 'notFound';
  if (status === 413) return 'tooLarge';
  if (status >= 400 && status < 500) return 'badRequest';
  if (status >= 500) return 'upstream';
  return status === 0 || /network|refused|reset|connect/i.test(content) ? 'silent' : 'other';
}
