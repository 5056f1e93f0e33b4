// An administrator decides how a refund ended whose outcome the provider did not say. Paid back: it stays in the books. Not
// paid back: a second entry returns the quota to the user, or the plan is active again.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { orders } from '#contract/money/orders.ts';
import {
  endRefundWithin,
  isRefundEndable,
  lockOrder,
  type PaymentParts,
} from '#server/money/payments/index.ts';
import { announcePlan } from './announce-plan.ts';
import { readAdminView } from './view.ts';

export function endRefund(parts: PaymentParts): Handler<typeof orders.endRefund> {
  return async ({ params: { id }, body }, context) => {
    const { refund_id, is_paid_back, reason } = body;
    const { username } = callerOf(context);
    await parts.store.db.transaction().execute(async (transaction) => {
      // Locked before the refund is read: a second decision waits, and then finds it ended.
      const order = await lockOrder(parts.store, transaction, 'id', id);
      const refund = await transaction
        .selectFrom('refunds')
        .selectAll()
        .where('id', '=', refund_id)
        .where('order_id', '=', id)
        .executeTakeFirst();
      if (order === undefined || refund === undefined) throw new AppError('not_found');
      if (!isRefundEndable(parts, refund, order.provider)) throw new AppError('refund_not_endable');
      const { isEnded } = await endRefundWithin(parts, transaction, refund_id, {
        isPaidBack: is_paid_back,
        detail: `${username}: ${reason}`,
      });
      if (!isEnded) throw new AppError('refund_not_endable');
      const { amount_minor, quota } = refund;
      await context.audit(
        transaction,
        'order.refund_end',
        `order:${id}`,
        { refund_id, amount_minor, quota, status: refund.status },
        { status: is_paid_back ? 'done' : 'failed', reason },
      );
    });
    const view = await readAdminView(parts.store, id);
    await announcePlan(parts.store, view);
    return view;
  };
}
