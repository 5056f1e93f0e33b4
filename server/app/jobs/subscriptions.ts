// Every step checks the subscription's own row, so a run that lost its lease does nothing twice.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function subscriptions(parts: JobParts): Job {
  return {
    name: 'subscriptions',
    title: { zh: '订阅周期与续订', en: 'Subscription periods and renewals' },
    description: {
      zh: '结束已到期的周期并发放新额度，从余额续订，并在订阅即将结束和结束时通知用户。',
      en: 'Ends periods and grants new ones, renews from the balance, and notifies users whose subscription ends.',
    },
    everySeconds: 30,
    lease: 'cluster',
    run: (signal) => parts.advanceSubscriptions(signal),
  };
}
