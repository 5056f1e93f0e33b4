// Removes rows whose time is over; each folder exports the function for its own tables. Idempotent.
import { removeOldMails } from '#server/admin/mail/index.ts';
import { removeSpentProofs } from '#server/admin/outside-logins/used-proofs.ts';
import { removeOldAttempts } from '#server/admin/session/attempts.ts';
import { removeOldCodes } from '#server/admin/session/codes.ts';
import { removeOldNotices } from '#server/platform/notices/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';
import { removeRowsOfGoneNodes } from '#server/platform/jobs/rows.ts';

const REMOVERS = [
  removeOldMails,
  removeOldNotices,
  removeSpentProofs,
  removeOldAttempts,
  removeOldCodes,
  removeRowsOfGoneNodes,
];

export function expiredRows({ store, removeExpired }: JobParts): Job {
  return {
    name: 'expired-rows',
    title: { zh: '过期数据清理', en: 'Expired rows' },
    description: {
      zh: '删除过期的会话、验证码、登录尝试、旧邮件、旧通知、保存的对话、实时会话的临时密钥和旧的拒绝记录。',
      en: 'Removes ended sessions, codes, login attempts, old mails, old notices, stored conversations, secrets for realtime sessions and old refusals.',
    },
    everySeconds: 600,
    lease: 'cluster',
    async run(signal) {
      for (const remove of [...REMOVERS, ...removeExpired]) if (!signal.aborted) await remove(store);
    },
  };
}
