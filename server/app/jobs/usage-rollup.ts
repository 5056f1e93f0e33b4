// Idempotent: an hour that is summed twice has the same sums.
import { rollUp } from '#server/admin/logs/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

/** Between two hours, so that filling a long history leaves the writer to the charges of calls. */
const PAUSE_MILLISECONDS = 40;

export function usageRollup({ store }: JobParts): Job {
  return {
    name: 'usage-rollup',
    title: { zh: '用量汇总', en: 'Usage sums' },
    description: {
      zh: '按用户、渠道和模型汇总已结束的小时用量，供日志和看板快速统计。',
      en: 'Sums finished hours by user, channel and model, so that logs and dashboard count quickly.',
    },
    everySeconds: 600,
    lease: 'cluster',
    async run(signal) {
      await rollUp({ store }, async () => {
        await Bun.sleep(PAUSE_MILLISECONDS);
        return !signal.aborted;
      });
    },
  };
}
