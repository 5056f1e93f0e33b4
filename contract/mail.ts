// The operator's view of outgoing mail: does it work, what waits, what was given up.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const mailQueueView = z.object({
  configured: z.boolean(),
  waiting: z.number(),
  /** Given up after the last try. */
  dead: z.number(),
  sent_today: z.number(),
  /** Of the newest mail that failed; empty when none did. */
  last_error: z.string(),
});
export type MailQueueView = z.output<typeof mailQueueView>;

export const mail = {
  /** Sent at once and not through the queue: the answer says what the mail server said. */
  test: endpoint({
    method: 'POST',
    path: '/api/mail/test',
    access: 'root',
    summary: { zh: '发送测试邮件', en: 'Send a test mail' },
    body: z.object({ to: z.string().trim().max(320).optional() }).optional(),
    returns: z.object({ recipient: z.string() }),
    limit: 'critical',
    sessionOnly: true,
  }),
  queue: endpoint({
    method: 'GET',
    path: '/api/mail/queue',
    access: 'root',
    summary: { zh: '邮件队列', en: 'The mail queue' },
    returns: mailQueueView,
  }),
  /** Tries what was given up once more; `data` is how many. */
  retry: endpoint({
    method: 'POST',
    path: '/api/mail/retry',
    access: 'root',
    summary: { zh: '重试失败的邮件', en: 'Try failed mails again' },
    returns: z.number(),
  }),
};
