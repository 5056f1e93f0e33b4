// Outgoing mail for the operator: a test, the queue, and the mails that failed for good.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

export const mailQueueView = z.object({
  configured: z.boolean(),
  waiting: z.number(),
  /** Failed after the last try. */
  dead: z.number(),
  sent_today: z.number(),
  /** Error of the newest mail that failed; empty when none did. */
  last_error: z.string(),
});
export type MailQueueView = z.output<typeof mailQueueView>;

export const mail = {
  /** Sent at once, not through the queue: the answer contains the mail server's error. */
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
  /** Queues the failed mails again; `data` is their number. */
  retry: endpoint({
    method: 'POST',
    path: '/api/mail/retry',
    access: 'root',
    summary: { zh: '重试失败的邮件', en: 'Try failed mails again' },
    returns: z.number(),
  }),
};
