// Exactly once: the position in the ledger and each sum are claimed by a conditional update in the transaction that uses them.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function spendDividends(parts: JobParts): Job {
  return {
    name: 'spend-dividends',
    title: { zh: '消费分红', en: 'Dividends on spending' },
    description: {
      zh: '汇总代理商客户的新消费并记入分红；仅在按消费分红时生效。',
      en: 'Sums what customers of resellers spent since the last run and books the dividends, where dividends are a share of spending.',
    },
    everySeconds: 600,
    lease: 'cluster',
    run: (signal) => parts.paySpendDividends(signal),
  };
}
