// The rows of the test button. Dead until the try succeeds: no job repeats a test, also when the process ends during it.
import type { Kysely, Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { deliveryOf } from './dispatch.ts';
import type { StoredDestination } from './stored-destinations.ts';
import { TEST_EVENT } from './texts.ts';

export async function insertTestNotice(
  transaction: Transaction<Schema>,
  userId: number,
): Promise<Row<'notices'>> {
  const now = unixSeconds();
  return await transaction
    .insertInto('notices')
    .values({
      created_at: now,
      event: TEST_EVENT,
      user_id: userId,
      details: '{}',
      once_key: null,
      dispatched_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function insertTestDelivery(
  transaction: Transaction<Schema>,
  notice: Row<'notices'>,
  destination: StoredDestination,
): Promise<Row<'notice_deliveries'>> {
  return await transaction
    .insertInto('notice_deliveries')
    .values({ ...deliveryOf(notice, destination), mail_id: null, status: 'dead', tries: 1 })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function noteTest(
  db: Kysely<Schema>,
  id: number,
  result: { status: Row<'notice_deliveries'>['status']; error: string },
): Promise<void> {
  const sent_at = result.status === 'sent' ? unixSeconds() : 0;
  await db
    .updateTable('notice_deliveries')
    .set({ ...result, sent_at })
    .where('id', '=', id)
    .execute();
}
