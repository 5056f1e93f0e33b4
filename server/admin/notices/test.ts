// The test button: one try at once, kept in the history, not repeated.
import type { RequestContext } from '#server/admin/context.ts';
import type { Output } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { notices } from '#contract/admin/notices.ts';
import {
  deliveryWords,
  insertTestDelivery,
  insertTestNotice,
  mailNotice,
  noteTest,
  sendDelivery,
  readStoredDestinations,
  DestinationError,
} from '#server/platform/notices/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { NoticeDependencies, Receiver } from './dependencies.ts';
import { targetOf } from './change.ts';
import { receiverId } from './list.ts';

type TestResult = Output<typeof notices.testWay>;

export function testDestination(dependencies: NoticeDependencies, receiver: Receiver) {
  return async ({ params }: { params: { id: number } }, context: RequestContext): Promise<TestResult> => {
    const userId = receiverId(receiver, context);
    const { store, mailer } = dependencies;
    const destinations = await readStoredDestinations(store.db, userId);
    const destination = destinations.find(({ id }) => id === params.id);
    if (destination === undefined) throw new AppError('not_found');
    const isMail = destination.kind === 'mail';
    if (isMail && !mailer.configured) throw new AppError('mail_not_configured');
    const delivery = await store.db.transaction().execute(async (transaction) => {
      const notice = await insertTestNotice(transaction, userId);
      let stored: Row<'notice_deliveries'> | undefined;
      if (isMail) {
        if ((await mailNotice(dependencies, transaction, notice, destination)) === 0)
          throw new AppError('email_required', {}, { field: 'email' });
      } else stored = await insertTestDelivery(transaction, notice, destination);
      await context.audit(transaction, 'notice_way.test', targetOf(destination), undefined, {
        way: destination.id,
      });
      return stored;
    });
    if (delivery === undefined) {
      mailer.wake();
      return { status: 'pending', error: '' };
    }
    const result = await tryOnce(dependencies, delivery);
    return { ...result, error: deliveryWords(context.language, result.error) };
  };
}

async function tryOnce(
  dependencies: NoticeDependencies,
  delivery: Row<'notice_deliveries'>,
): Promise<TestResult> {
  const result: TestResult = { status: 'sent', error: '' };
  try {
    await sendDelivery(dependencies, delivery);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    result.status = 'dead';
    result.error = error.message;
  }
  await noteTest(dependencies.store.db, delivery.id, result);
  return result;
}
