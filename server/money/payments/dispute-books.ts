// The steps that bring the books of one dispute to what the provider says of it. All in the caller's transaction, with the order
// and its payer locked; a step that was made is not made again.
import { sql, type Transaction } from 'kysely';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { DISPUTE_FREEZE_KIND, disputeIdem, DISPUTE_RETURN_KIND } from '#server/money/ledger/idempotency.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { minorLeft, quotaOfRefund } from '#contract/money/refund-amounts.ts';
import type { Order } from './order-rows.ts';
import type { PaymentParts } from './parts.ts';
import { endPlan, planUse, reopenPlan } from './plan-orders.ts';
import { bookRefund, DISPUTE_REFUND_PREFIX, endRefundWithin } from './refund.ts';

type Dispute = Row<'disputes'>;

/** Columns of a dispute → the sum of them over the disputes of an order. */
const ORDER_COLUMNS = {
  amount_minor: 'disputed_minor',
  quota: 'disputed_quota',
  frozen_quota: 'frozen_quota',
  lost_quota: 'lost_quota',
} as const;

/** One dispute and its order, read again before every step: each step changes both. */
export class DisputeBooks {
  readonly #parts: PaymentParts;
  readonly #transaction: Transaction<Schema>;
  readonly #orderId: number;
  readonly #id: number;

  constructor(parts: PaymentParts, transaction: Transaction<Schema>, orderId: number, id: number) {
    this.#parts = parts;
    this.#transaction = transaction;
    this.#orderId = orderId;
    this.#id = id;
  }

  async apply(): Promise<void> {
    const { status } = await this.#dispute();
    if (status === 'won') {
      await this.#undoRefunds();
      await this.#release();
      return;
    }
    await this.#claim();
    await this.#freezeWhatCallsLeft();
    if (status === 'lost') await this.#lose();
  }

  /** Claims what the order has left of the price, and freezes what is free of its quota. */
  async #claim(): Promise<void> {
    const order = await this.#order();
    const { claimed_minor, amount_minor, booked_minor } = await this.#dispute();
    const isPaid = order.status === 'paid' || order.status === 'refunded';
    const more = isPaid ? Math.min(claimed_minor - amount_minor - booked_minor, minorLeft(order)) : 0;
    if (more <= 0) return;
    const quota = quotaOfRefund(order, more);
    await this.#change({ amount_minor: more, quota });
    if (order.plan_id > 0)
      await endPlan(this.#parts, this.#transaction, order, `dispute:${this.#id}:${await this.#nextMove()}`);
    const { free, held } = await this.#balance();
    const frozen = Math.min(quota, free);
    await this.#freeze(frozen);
    // What running calls hold is theirs; what they leave over is frozen then.
    await this.#change({ waiting_quota: Math.min(quota - frozen, held) });
    await this.#transaction
      .updateTable('disputes')
      .set({ ledger_from: sql<number>`(select coalesce(max(id), 0) from ledger)` })
      .where('id', '=', this.#id)
      .execute();
  }

  /** What was credited since is other money and stays free. */
  async #freezeWhatCallsLeft(): Promise<void> {
    const { waiting_quota, user_id, ledger_from } = await this.#dispute();
    if (waiting_quota === 0) return;
    const { free, held } = await this.#balance();
    const { credited } = await this.#transaction
      .selectFrom('ledger')
      .select(sql<number>`coalesce(sum(amount), 0)`.as('credited'))
      .where('user_id', '=', user_id)
      // As the index on what is no charge says.
      .where('kind', '<>', 'use')
      .where('credit_account', '=', `user:${user_id}`)
      .where('id', '>', ledger_from)
      .executeTakeFirstOrThrow();
    const frozen = Math.min(waiting_quota, Math.max(0, free - credited));
    const waiting = Math.min(waiting_quota - frozen, held);
    await this.#change({ waiting_quota: waiting - waiting_quota });
    await this.#freeze(frozen);
  }

  async #freeze(amount: number): Promise<void> {
    if (amount === 0) return;
    await this.#move(amount, 'freeze');
    await this.#change({ frozen_quota: amount });
  }

  /** Gives everything back that the dispute has taken. */
  async #release(): Promise<void> {
    if (!(await this.#drop())) return;
    const order = await this.#order();
    if (order.plan_id > 0) await reopenPlan(this.#parts, this.#transaction, order);
  }

  /** Ends the claim: what was frozen is in the balance again. False: nothing was claimed. */
  async #drop(): Promise<boolean> {
    const { amount_minor, quota, frozen_quota, waiting_quota } = await this.#dispute();
    if (amount_minor === 0) return false;
    if (frozen_quota > 0) await this.#move(frozen_quota, 'return');
    await this.#change({
      amount_minor: -amount_minor,
      quota: -quota,
      frozen_quota: -frozen_quota,
      waiting_quota: -waiting_quota,
    });
    return true;
  }

  /** The bank has paid: what was frozen is a refund, what was spent before is lost. */
  async #lose(): Promise<void> {
    const { amount_minor, quota, frozen_quota, lost_quota, reference, reason } = await this.#dispute();
    if (!(await this.#drop())) return;
    const order = await this.#order();
    const lost = order.plan_id > 0 ? await planUse(this.#transaction, order) : quota - frozen_quota;
    await this.#change({
      booked_minor: amount_minor,
      // A plan's use is counted once, however often its price is claimed.
      lost_quota: order.plan_id > 0 ? lost - lost_quota : lost,
    });
    await bookRefund(this.#parts, this.#transaction, await this.#order(), {
      request_id: `${DISPUTE_REFUND_PREFIX}${this.#id}:${await this.#nextMove()}`,
      amount_minor,
      quota: frozen_quota,
      status: 'done',
      reason: reason.slice(0, 200),
      actor_id: 0,
      provider_reference: reference,
    });
  }

  /** A loss that an appeal has won: the bank gives the money back, and the user gets the quota again. */
  async #undoRefunds(): Promise<void> {
    const { booked_minor, lost_quota, reference } = await this.#dispute();
    if (booked_minor === 0) return;
    await this.#change({ booked_minor: -booked_minor, lost_quota: -lost_quota });
    const refunds = await this.#transaction
      .selectFrom('refunds')
      .select('id')
      // No other order has refunds with the number of this dispute.
      .where('provider_reference', '=', reference)
      .where('status', '=', 'done')
      .execute();
    for (const { id } of refunds)
      await endRefundWithin(this.#parts, this.#transaction, id, {
        isPaidBack: false,
        detail: reference,
        isAfterDone: true,
      });
  }

  async #move(amount: number, direction: 'freeze' | 'return'): Promise<void> {
    const { trade_no, user_id: userId } = await this.#order();
    const isFreeze = direction === 'freeze';
    const result = await this.#parts.ledger.transferWithin(this.#transaction, {
      idem: disputeIdem(this.#id, await this.#nextMove()),
      userId,
      amount,
      from: isFreeze ? 'user' : 'world:dispute',
      to: isFreeze ? 'world:dispute' : 'user',
      kind: isFreeze ? DISPUTE_FREEZE_KIND : DISPUTE_RETURN_KIND,
      reference: trade_no,
      log: {
        type: LOG_TYPE.refund,
        user_id: userId,
        quota: amount,
        content: factText(isFreeze ? 'disputed' : 'disputeEnded', { order: trade_no }),
      },
    });
    if (!result.ok) throw new Error(`a dispute of ${trade_no}: ${result.reason}`);
  }

  /** Adds to the columns of the dispute, and to the sums that the order has of them. */
  async #change(
    more: Partial<Record<keyof typeof ORDER_COLUMNS | 'booked_minor' | 'waiting_quota', number>>,
  ) {
    const entries = Object.entries(more);
    const added = (rename: (name: string) => string | undefined) =>
      Object.fromEntries(
        entries.flatMap(([name, amount]) => {
          const column = rename(name);
          return column === undefined ? [] : [[column, sql<number>`${sql.ref(column)} + ${amount}`]];
        }),
      );
    await this.#transaction
      .updateTable('disputes')
      .set(added((name) => name))
      .where('id', '=', this.#id)
      .execute();
    const ofOrder = added((name) => (ORDER_COLUMNS as Record<string, string>)[name]);
    if (Object.keys(ofOrder).length === 0) return;
    await this.#transaction.updateTable('orders').set(ofOrder).where('id', '=', this.#orderId).execute();
  }

  async #nextMove(): Promise<number> {
    const { moves } = await this.#transaction
      .updateTable('disputes')
      .set({ moves: sql<number>`moves + 1` })
      .where('id', '=', this.#id)
      .returning('moves')
      .executeTakeFirstOrThrow();
    return moves;
  }

  async #balance(): Promise<{ free: number; held: number }> {
    const { user_id } = await this.#order();
    const { quota, held_quota: held } = await this.#transaction
      .selectFrom('users')
      .select(['quota', 'held_quota'])
      .where('id', '=', user_id)
      .executeTakeFirstOrThrow();
    return { free: Math.max(0, quota - held), held };
  }

  #order = async (): Promise<Order> =>
    await this.#transaction
      .selectFrom('orders')
      .selectAll()
      .where('id', '=', this.#orderId)
      .executeTakeFirstOrThrow();

  #dispute = async (): Promise<Dispute> =>
    await this.#transaction
      .selectFrom('disputes')
      .selectAll()
      .where('id', '=', this.#id)
      .executeTakeFirstOrThrow();
}
