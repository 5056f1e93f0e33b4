// Outgoing mail: the queue for other nouns, and the operator's view of it.
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { callerOf, type Handlers } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { wordsIn, wordsInBoth } from '#contract/facts.ts';
import type { Language, Text } from '#contract/language.ts';
import type { mail, MailQueueView } from '#contract/admin/mail.ts';
import type { Store } from '#server/platform/store/store.ts';
import { z } from 'zod';
import type { MailQueue } from './queue.ts';
import { deliver, isConfigured, MailError, type MailSettings, type TransportOptions } from './transport.ts';

export { createOwnerLetters } from './owner-letters.ts';
export { openMailQueue, putLetter, removeOldMails, type MailQueue, type QueuedLetter } from './queue.ts';
export { isConfigured } from './transport.ts';

export interface MailDependencies extends TransportOptions {
  store: Store;
  settings: { readonly current: MailSettings };
  queue: MailQueue;
}

const address = z.email().max(254);

const TEST_SUBJECT: Text = { zh: '测试邮件', en: 'Test mail' };
const TEST_TEXT: Text = {
  zh: '这是一封测试邮件。收到它说明邮件服务已正确配置。',
  en: 'This is a test email. If you can read it, email is set up correctly.',
};

export function createMailHandlers(dependencies: MailDependencies): Handlers<typeof mail> {
  const { store, settings, queue, ...transport } = dependencies;
  const { db } = store;

  return {
    async test({ body }: Input<typeof mail.test>, context) {
      const recipient = address.safeParse(body?.to || (await ownEmail(callerOf(context).id)));
      if (!recipient.success) throw new AppError('email_required', {}, { field: 'to' });
      if (!isConfigured(settings.current)) throw new AppError('mail_not_configured');
      const subject = `${settings.current.SystemName}: ${TEST_SUBJECT[context.language]}`;
      const letter = { recipient: recipient.data, subject, text: TEST_TEXT[context.language] };
      try {
        await deliver(settings.current, letter, transport);
      } catch (error) {
        await context.auditEvent('mail.test', 'mail', { recipient: recipient.data, sent: false });
        if (error instanceof MailError)
          throw new AppError('mail_failed', { detail: wordsInBoth(error.message) });
        throw error;
      }
      await context.auditEvent('mail.test', 'mail', { recipient: recipient.data, sent: true });
      return { recipient: recipient.data };
    },
    queue: (_, { language }) => readQueue(language),
    async retry(_, context) {
      const count = await db.transaction().execute(async (transaction) => {
        const revived = await transaction
          .updateTable('mails')
          .set({ status: 'pending', tries: 0, next_try_at: 0 })
          .where('status', '=', 'dead')
          .returning('id')
          .execute();
        await context.audit(transaction, 'mail.retry', 'mail', undefined, { mails: revived.length });
        return revived.length;
      });
      queue.wake();
      return count;
    },
  };

  async function ownEmail(userId: number): Promise<string> {
    const row = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
    return row?.email ?? '';
  }

  async function readQueue(language: Language): Promise<MailQueueView> {
    const since = unixSeconds() - DAY_SECONDS;
    const counts = await db
      .selectFrom('mails')
      .select(['status', (build) => build.fn.countAll<number>().as('mails')])
      .where((where) => where.or([where('status', '<>', 'sent'), where('sent_at', '>=', since)]))
      .groupBy('status')
      .execute();
    const failed = await db
      .selectFrom('mails')
      .select('error')
      .where('error', '<>', '')
      .where('status', 'in', ['pending', 'sending', 'dead'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    const count = (...statuses: string[]) =>
      counts.filter(({ status }) => statuses.includes(status)).reduce((sum, { mails }) => sum + mails, 0);
    return {
      configured: isConfigured(settings.current),
      waiting: count('pending', 'sending'),
      dead: count('dead'),
      sent_today: count('sent'),
      last_error: wordsIn(language, failed?.error ?? ''),
    };
  }
}
