// Idempotent: a day that is summed twice has the same sums.
import { sumCostDays } from '#server/admin/usage-api/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

const PAUSE_MILLISECONDS = 20;

export function costDays({ store }: JobParts): Job {
  return {
    name: 'cost-days',
    title: { zh: '费用报表汇总', en: 'Sums of cost reports' },
    description: {
      zh: '按天汇总已结束的日期的费用，供费用报表快速读取。',
      en: 'Sums the charges of days that are over, so that cost reports are read quickly.',
    },
    everySeconds: 1800,
    lease: 'cluster',
    async run(signal) {
      await sumCostDays({ store }, async () => {
        await Bun.sleep(PAUSE_MILLISECONDS);
        return !signal.aborted;
      });
    },
  };
}
