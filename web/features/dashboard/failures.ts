/** Failures of the log, grouped by cause. */
import type { FailureView } from '#contract/admin/dashboard.ts';
import { failureCause } from '#contract/relay/failure-cause.ts';
import type { FailureCause } from '#contract/relay/failures.ts';

export interface FailureKind {
  cause: FailureCause;
  count: number;
}

export function failureKinds({ contents }: Pick<FailureView, 'contents'>): FailureKind[] {
  const counts = new Map<FailureCause, number>();
  for (const { content, count } of contents) {
    const cause = failureCause(content);
    counts.set(cause, (counts.get(cause) ?? 0) + count);
  }
  return [...counts]
    .map(([cause, count]) => ({ cause, count }))
    .toSorted((left, right) => right.count - left.count);
}
