// Every node sends: a mail is claimed by its row, and the node that queued a mail wakes its own job.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export const MAIL_JOB = 'mail';

export function mail({ mail: queue }: JobParts): Job {
  return {
    name: MAIL_JOB,
    title: { zh: '发送邮件', en: 'Mail' },
    description: {
      zh: '发送队列中到期的邮件，失败的稍后重试。',
      en: 'Sends the mails that are due; one that fails is tried again later.',
    },
    everySeconds: 5,
    lease: 'node',
    async run(signal) {
      await queue.deliverDue(signal);
    },
  };
}
