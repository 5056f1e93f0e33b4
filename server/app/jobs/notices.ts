// Every node sends: a notice and each of its deliveries are claimed by their rows.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export const NOTICES_JOB = 'notices';

export function notices({ notices: sender }: JobParts): Job {
  return {
    name: NOTICES_JOB,
    title: { zh: '发送通知', en: 'Notices' },
    description: {
      zh: '按用户和运维选择的方式发送通知，失败的稍后重试。',
      en: 'Sends notices by the ways users and operators chose; one that fails is tried again later.',
    },
    everySeconds: 5,
    lease: 'node',
    run: (signal) => sender.sendDue(signal),
  };
}
