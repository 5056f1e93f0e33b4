// A row is counted once: the position in the log moves in the transaction that adds its cells.
import { foldUsage } from '#server/admin/usage-api/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

/** Between two slices, so that a long history leaves the writer to the charges of calls. */
const PAUSE_MILLISECONDS = 20;

export function usageCells({ store }: JobParts): Job {
  return {
    name: 'usage-cells',
    title: { zh: '用量报表汇总', en: 'Figures of usage reports' },
    description: {
      zh: '把新的日志行按小时和天计入用量报表。',
      en: 'Adds new log rows to the hours and days of the usage reports.',
    },
    everySeconds: 20,
    lease: 'cluster',
    async run(signal) {
      await foldUsage(store, async () => {
        await Bun.sleep(PAUSE_MILLISECONDS);
        return !signal.aborted;
      });
    },
  };
}
