// Notifies the operators of a payment that needs a person.
import type { Kysely } from 'kysely';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Schema } from '#server/platform/store/schema.ts';

/** Once for each reason: providers repeat their callbacks. False: they were notified before. */
export async function alertOperators(
  db: Kysely<Schema>,
  tradeNo: string,
  reason: string,
  key = `${tradeNo.slice(0, 100)}:${reason.slice(0, 200)}`,
): Promise<boolean> {
  const values = { order: tradeNo.slice(0, 100), reason };
  return await raiseNotice(db, { event: 'payment_alert', values, onceKey: `payment_alert:${key}` });
}
