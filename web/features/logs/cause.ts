/** Why a call failed: from the row and, for administrators, the last answer of the upstream. */
import { failureCause } from '#contract/relay/failure-cause.ts';
import type { FailureCause } from '#contract/relay/failures.ts';
import type { LogView } from '#contract/admin/logs.ts';
import type { LogDetails } from './other.ts';

export function causeOf(
  { code, content }: Pick<LogView, 'code' | 'content'>,
  { attempts }: Pick<LogDetails, 'attempts'>,
): FailureCause {
  return failureCause(code || content, attempts?.at(-1)?.status);
}
