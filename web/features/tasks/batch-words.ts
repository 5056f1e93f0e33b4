/** The counts of a batch as words: a batch may have fifty thousand requests. */
import type { TaskBatch } from '#contract/relay/tasks.ts';
import { groupDigits } from '#web/ui/format/number.ts';

export const batchCounts = ({
  answered,
  failed,
  total,
}: Pick<TaskBatch, 'answered' | 'failed' | 'total'>) => ({
  answered: groupDigits(answered),
  failed: groupDigits(failed),
  total: groupDigits(total),
});
