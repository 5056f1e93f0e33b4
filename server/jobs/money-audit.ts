// The first run of a process checks everything, later ones what is new.
import type { Job } from './job.ts';
import type { JobParts } from './parts.ts';

export function moneyAudit({ moneyAudit: audit }: JobParts): Job {
  let isFirst = true;
  return {
    name: 'money-audit',
    title: { zh: '账目核对', en: 'Money audit' },
    description: {
      zh: '核对余额、预扣、流水与日志是否一致；发现不符时暂停该用户的消费并告警。',
      en: 'Checks balances, holds, ledger and logs against each other; a user whose figures disagree is suspended.',
    },
    everySeconds: 300,
    lease: 'cluster',
    atStart: true,
    async run() {
      const breaches = isFirst ? await audit.checkAll() : await audit.checkRecent();
      isFirst = false;
      const broken = [...new Set(breaches.map(({ invariant }) => invariant))];
      if (broken.length > 0) throw new Error(`broken: ${broken.join('; ')}`);
    },
  };
}
