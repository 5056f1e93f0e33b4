// Idempotent: a fee is booked once for each channel and day, a notice is raised once a day for each channel and model.
import { alertNegativeMargins, bookPlanFees } from '#server/admin/margins/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function margins({ store, settings }: JobParts): Job {
  return {
    name: 'margins',
    title: { zh: '渠道月费与亏本提醒', en: 'Fees and margins' },
    description: {
      zh: '把渠道的月费记到每一天，并提醒亏本销售的模型。',
      en: 'Books the monthly fees of channels by day, and reports models that are sold below cost.',
    },
    everySeconds: 3600,
    lease: 'cluster',
    async run() {
      await bookPlanFees({ store, settings });
      await alertNegativeMargins({ store, settings });
    },
  };
}
