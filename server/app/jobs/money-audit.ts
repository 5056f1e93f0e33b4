// Idempotent: what a run has summed of the ledger is recorded with how far the sums reach.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function moneyAudit({ moneyAudit: audit }: JobParts): Job {
  return {
    name: 'money-audit',
    title: { zh: '账目核对', en: 'Money audit' },
    description: {
      zh: '核对余额、预扣、流水与日志是否一致，不符时告警；余额经逐笔重算确认有误的用户会被暂停消费。',
      en: 'Checks balances, holds, ledger and logs against each other and alerts. Only a user whose balance is proven wrong is suspended.',
    },
    everySeconds: 300,
    lease: 'cluster',
    atStart: true,
    async run(signal) {
      const breaches = await audit.check(signal);
      const broken = [...new Set(breaches.map(({ invariant }) => invariant))];
      if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
    },
  };
}
