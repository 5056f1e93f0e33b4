// Classes of attempts for metrics and traces: few, so that they can be labels.
import type { Attempt } from '#server/relay/money/log-row.ts';

export type AttemptOutcome =
  | 'success'
  | 'no_answer'
  | 'key_refused'
  | 'rate_limited'
  | 'request_refused'
  | 'server_error'
  | 'broken';

export function attemptOutcome({ status, error }: Attempt): AttemptOutcome {
  if (error === undefined && status >= 100 && status < 400) return 'success';
  if (status === 0) return 'no_answer';
  if (status === 401 || status === 403) return 'key_refused';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  // A failure after a good status: the stream broke off, or the answer could not be read.
  return status >= 400 ? 'request_refused' : 'broken';
}
