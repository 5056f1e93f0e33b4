// Exactly once: the draft is claimed by a conditional update in the transaction that publishes it.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function pricePublication(parts: JobParts): Job {
  return {
    name: 'price-publication',
    title: { zh: '定时发布价格', en: 'Scheduled prices' },
    description: {
      zh: '到时间时发布已定时的价格草稿；服务器停机期间到期的在启动后几秒内发布。',
      en: 'Publishes price drafts when their time comes; those that came due while no server ran are published seconds after its start.',
    },
    everySeconds: 5,
    lease: 'cluster',
    run: (signal) => parts.publishDuePrices(signal),
  };
}
