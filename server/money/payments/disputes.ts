// A payment that the payer's bank claims back. While the dispute is open, what is left of the order's quota is frozen: taken from
// the balance, but never what running calls hold; a plan is ended. Won: everything is given back. Lost: the bank's money is
// booked as a refund, and what had been spent before is the operator's loss. The provider's events arrive in any order and more
// than once: the latest end that it names decides, and every step brings the books to what that says.
import { sql, type Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { moneyText } from './currency.ts';
import { addEvent, lockOrder, lockPayer, type Order } from './order-rows.ts';
import { type PaymentParts } from './parts.ts';
import { DisputeBooks } from './dispute-books.ts';
import type { DisputeReport } from './provider.ts';
import { tellDispute } from './tell.ts';

type Dispute = Row<'disputes'>;

export async function bookDispute(
  parts: PaymentParts,
  orderId: number,
  report: DisputeReport,
): Promise<void> {
  const userId = await parts.store.confirmedDb.transaction().execute(async (transaction) => {
    const order = await lockOrder(parts.store, transaction, 'id', orderId);
    if (order === undefined) return undefined;
    const known = await disputeOf(transaction, report.reference);
    const dispute = known ?? (await insertDispute(transaction, order, report));
    const isChanged = await noteReport(transaction, order, dispute, report);
    await lockPayer(parts.store, transaction, order.user_id);
    const before = await balanceOf(transaction, order.user_id);
    await applyDisputes(parts, transaction, orderId);
    const given = (await balanceOf(transaction, order.user_id)) - before;
    if (isChanged || known === undefined) await tell(transaction, order, report.reference, given);
    return order.user_id;
  });
  // Callers are known with their subscriptions, and nodes give back what they have set aside of the balance.
  if (userId !== undefined) await parts.store.changes.announce('users', String(userId));
}

async function disputeOf(transaction: Transaction<Schema>, reference: string): Promise<Dispute | undefined> {
  return await transaction
    .selectFrom('disputes')
    .selectAll()
    .where('reference', '=', reference.slice(0, 200))
    .executeTakeFirst();
}

async function insertDispute(
  transaction: Transaction<Schema>,
  { id, user_id }: Order,
  { reference, reason }: DisputeReport,
): Promise<Dispute> {
  return await transaction
    .insertInto('disputes')
    .values({
      reference: reference.slice(0, 200),
      order_id: id,
      user_id,
      created_at: unixSeconds(),
      reason: reason.slice(0, 200),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** An end stays until a later one; of two in the same second the loss counts. True: the status changed. */
async function noteReport(
  transaction: Transaction<Schema>,
  order: Order,
  { id, status, status_at, claimed_minor }: Dispute,
  report: DisputeReport,
): Promise<boolean> {
  const { state, at } = report;
  const isDecided = status !== 'open';
  const isLater = at > status_at || (at === status_at && state === 'lost');
  const decides = state !== 'open' && (!isDecided || isLater);
  // Another currency cannot be compared: all of the order may be claimed.
  const claimed = report.currency === order.currency ? report.amountMinor : order.amount_minor;
  await transaction
    .updateTable('disputes')
    .set({
      claimed_minor: Math.max(claimed_minor, Math.min(claimed, order.amount_minor)),
      ...(decides ? { status: state, status_at: at } : {}),
    })
    .where('id', '=', id)
    .execute();
  return decides && state !== status;
}

/** `given`: what the balance has more than before. */
async function tell(
  transaction: Transaction<Schema>,
  order: Order,
  reference: string,
  given: number,
): Promise<void> {
  const dispute = await disputeOf(transaction, reference);
  if (dispute === undefined) return;
  const { status, claimed_minor, reason, frozen_quota } = dispute;
  const amount = moneyText(claimed_minor, order.currency);
  const kind = status === 'open' ? 'dispute_opened' : (`dispute_${status}` as const);
  await addEvent(transaction, order.id, kind, `${amount} ${reason} ${dispute.reference}`);
  const quota = {
    open: frozen_quota,
    won: Math.max(0, given),
    lost: status === 'lost' ? await sumRefundedBy(transaction, dispute) : 0,
  }[status];
  await tellDispute(transaction, order, dispute, quota);
}

async function sumRefundedBy(transaction: Transaction<Schema>, { reference }: Dispute): Promise<number> {
  const { sum } = await transaction
    .selectFrom('refunds')
    .select(sql<number>`coalesce(sum(quota), 0)`.as('sum'))
    .where('provider_reference', '=', reference)
    .where('status', '=', 'done')
    .executeTakeFirstOrThrow();
  return sum;
}

async function balanceOf(transaction: Transaction<Schema>, userId: number): Promise<number> {
  const { quota } = await transaction
    .selectFrom('users')
    .select('quota')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return quota;
}

/**
 * Brings the books of an order to what its disputes say: after a report, after the payment itself (its event may come later),
 * after a refund that failed (what it had taken is claimed now), and after calls that ran when quota was frozen.
 */
export async function applyDisputes(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  orderId: number,
): Promise<void> {
  const disputes = await transaction
    .selectFrom('disputes')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('id')
    .execute();
  if (disputes.length === 0) return;
  await lockPayer(parts.store, transaction, disputes[0]?.user_id ?? 0);
  for (const { id } of disputes) await new DisputeBooks(parts, transaction, orderId, id).apply();
  const states = new Set(disputes.map(({ status }) => status));
  const dispute_status = (['open', 'lost', 'won'] as const).find((status) => states.has(status)) ?? '';
  await transaction.updateTable('orders').set({ dispute_status }).where('id', '=', orderId).execute();
}

/** Freezes what calls have left over that ran when their user's quota was frozen. A job runs it. */
export async function freezeWaiting(parts: PaymentParts, signal: AbortSignal): Promise<void> {
  const waiting = await parts.store.db
    .selectFrom('disputes')
    .select('order_id')
    .where('waiting_quota', '>', 0)
    .orderBy('id')
    .limit(100)
    .execute();
  for (const { order_id } of waiting) {
    if (signal.aborted) return;
    await parts.store.db.transaction().execute(async (transaction) => {
      await lockOrder(parts.store, transaction, 'id', order_id);
      await applyDisputes(parts, transaction, order_id);
    });
  }
}
