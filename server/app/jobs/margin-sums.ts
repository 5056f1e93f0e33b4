// Idempotent: a day that is summed twice has the same sums.
import { sumMarginSpans } from '#server/admin/margins/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

const PAUSE_MILLISECONDS = 20;

export function marginSums({ store }: JobParts): Job {
  return {
    name: 'margin-sums',
    title: { zh: '毛利汇总', en: 'Sums of margins' },
    description: {
      zh: '按天和周汇总已结束的日期的毛利，供毛利页快速读取。',
      en: 'Sums the margins of days and weeks that are over, so that the margins page is read quickly.',
    },
    everySeconds: 3600,
    lease: 'cluster',
    async run(signal) {
      await sumMarginSpans({ store }, async () => {
        await Bun.sleep(PAUSE_MILLISECONDS);
        return !signal.aborted;
      });
    },
  };
}
