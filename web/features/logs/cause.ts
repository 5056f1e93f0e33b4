/** Why a call failed: from what the row says and, for administrators, what the upstream answered last. */
import { failureCause, type FailureCause } from '#contract/failures.ts';
import type { LogDetails } from './other.ts';

export function causeOf(content: string, { attempts }: Pick<LogDetails, 'attempts'>): FailureCause {
  return failureCause(content, attempts?.at(-1)?.status);
}
