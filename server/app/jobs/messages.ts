// The jobs that send: mail and notices.
import { noticeExpiringTokens } from '#server/platform/notices/index.ts';
import type { MakeJob } from './parts.ts';

export const MAIL_JOB = 'mail';

/** Every node sends: a mail is claimed by its row, and the node that queued a mail wakes its own job. */
export const mail: MakeJob = ({ mail: queue }) => ({
  name: MAIL_JOB,
  title: { zh: '发送邮件', en: 'Mail' },
  description: {
    zh: '发送队列中到期的邮件，失败的稍后重试。',
    en: 'Sends the emails that are due; one that fails is tried again later.',
  },
  everySeconds: 5,
  lease: 'node',
  async run(signal) {
    await queue.deliverDue(signal);
  },
});

export const NOTICES_JOB = 'notices';

/** Every node sends: a notice and each of its deliveries are claimed by their rows. */
export const notices: MakeJob = ({ notices: sender }) => ({
  name: NOTICES_JOB,
  title: { zh: '发送通知', en: 'Notifications' },
  description: {
    zh: '按用户和运营者选择的方式发送通知，失败的稍后重试。',
    en: 'Sends notifications to the destinations that users and operators chose; one that fails is tried again later.',
  },
  everySeconds: 5,
  lease: 'node',
  run: (signal) => sender.sendDue(signal),
});

/** Idempotent: a user is notified once of the tokens that expire on the same day. */
export const tokenExpiry: MakeJob = ({ store, settings }) => ({
  name: 'token-expiry',
  title: { zh: '令牌到期提醒', en: 'Expiring API keys' },
  description: {
    zh: '提醒用户有令牌即将到期；提前天数由选项 TokenExpiryNoticeDays 设置。',
    en: 'Notifies users of API keys that are about to expire; the option TokenExpiryNoticeDays says how long before.',
  },
  everySeconds: 1800,
  lease: 'cluster',
  run: (signal) => noticeExpiringTokens({ store, days: settings.current.TokenExpiryNoticeDays }, signal),
});
