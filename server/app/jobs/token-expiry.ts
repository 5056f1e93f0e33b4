// Idempotent: a user is notified once of the tokens that expire on the same day.
import { noticeExpiringTokens } from '#server/platform/notices/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function tokenExpiry({ store, settings }: JobParts): Job {
  return {
    name: 'token-expiry',
    title: { zh: '令牌到期提醒', en: 'Expiring tokens' },
    description: {
      zh: '提醒用户即将到期的令牌；提前天数由选项 TokenExpiryNoticeDays 设置。',
      en: 'Notifies users of tokens that are about to expire; the option TokenExpiryNoticeDays says how long before.',
    },
    everySeconds: 1800,
    lease: 'cluster',
    run: (signal) => noticeExpiringTokens({ store, days: settings.current.TokenExpiryNoticeDays }, signal),
  };
}
