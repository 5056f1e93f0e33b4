// Every node does this for itself: the spool of a process that ended lies on the disk of one machine.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function holdRecovery({ ledger }: JobParts): Job {
  return {
    name: 'hold-recovery',
    title: { zh: '预扣恢复', en: 'Hold recovery' },
    description: {
      zh: '结算或退回已停止的进程留下的预扣额度，并补记其暂存的结算。',
      en: 'Settles or releases the holds of processes that ended, and books what they left in their spool.',
    },
    everySeconds: 10,
    lease: 'node',
    async run() {
      await ledger.recover();
    },
  };
}
