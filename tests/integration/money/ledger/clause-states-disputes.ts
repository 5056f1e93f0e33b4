// Disputes, their entries, orders and refunds in every state that one clause of the audit decides.
import { DISPUTE_FREEZE_KIND, disputeIdem, DISPUTE_RETURN_KIND } from '#server/money/ledger/idempotency.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Books, Corruption } from './books.ts';
import { newId } from './world.ts';

const invariant = 'disputes and their entries match one to one';

interface Disputed {
  dispute?: Partial<NewRow<'disputes'>>;
  /** What differs from the sums of the dispute. */
  order?: Partial<NewRow<'orders'>>;
  /** The first move, the second, and so on. */
  entries?: Partial<NewRow<'ledger'>>[];
  refund?: Partial<NewRow<'refunds'>>;
}

/** A dispute of an order of 500 that was paid with 100; the order counts it as it should. */
async function disputed(
  { store, userId, order, entry, refundRow }: Books,
  { dispute = {}, order: ofOrder = {}, entries = [], refund }: Disputed,
): Promise<number> {
  const { amount_minor = 0, quota = 0, frozen_quota = 0, lost_quota = 0 } = dispute;
  const sums = { disputed_minor: amount_minor, disputed_quota: quota, frozen_quota, lost_quota };
  const { id: order_id } = await order({ quota: 500, ...sums, ...ofOrder });
  const reference = newId();
  const { id } = await store.db
    .insertInto('disputes')
    .values({ reference, order_id, user_id: userId, created_at: 1, ...dispute })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const [index, columns] of entries.entries())
    await entry({ idem: disputeIdem(id, index + 1), ...columns });
  if (refund !== undefined)
    await refundRow({ order_id, provider_reference: reference, amount_minor: 5, status: 'done', ...refund });
  return id;
}

const bankRefund = () => ({ request_id: `dispute:${newId()}` });

export const disputeStates: Corruption[] = [
  [
    invariant,
    'disputes with every move, and entries that are not theirs',
    async (books) => {
      const { entry, userId, world } = books;
      const freeze = {
        kind: DISPUTE_FREEZE_KIND,
        debit_account: `user:${userId}`,
        credit_account: 'world:dispute',
      };
      const giveBack = { kind: DISPUTE_RETURN_KIND, debit_account: 'world:dispute' };
      const frozen = (frozen_quota: number, moves: number) => ({ quota: 20, frozen_quota, moves });
      // Lawful: nothing frozen, frozen once, given back in part, frozen again.
      await disputed(books, { dispute: { quota: 20 } });
      await disputed(books, { dispute: frozen(5, 1), entries: [freeze] });
      await disputed(books, { dispute: frozen(3, 2), entries: [freeze, { ...giveBack, amount: 2 }] });
      await disputed(books, {
        dispute: frozen(12, 3),
        entries: [freeze, { ...giveBack, amount: 1 }, { ...freeze, amount: 8 }],
      });
      // Lawful: an entry of another kind is not one of the moves of a dispute.
      await disputed(books, { dispute: frozen(0, 1), entries: [{}] });
      // Reported by the dispute.
      await disputed(books, { dispute: frozen(5, 1) });
      await disputed(books, { dispute: frozen(5, 2), entries: [freeze, giveBack] });
      // Reported by the entry: a move that the dispute does not count, of no dispute, and of another user.
      await disputed(books, { dispute: frozen(0, 0), entries: [freeze] });
      await disputed(books, { dispute: frozen(5, 1), entries: [freeze, freeze] });
      await entry({ ...freeze, idem: disputeIdem(9999, 1) });
      await entry({ ...giveBack, idem: disputeIdem(9999, 2) });
      await entry({ ...freeze, idem: newId() });
      const other = await world.user(0);
      const moved = await disputed(books, { dispute: frozen(0, 1) });
      await disputed(books, { dispute: { user_id: other } });
      await entry({ ...freeze, idem: disputeIdem(moved, 1), user_id: other, debit_account: `user:${other}` });
    },
    undefined,
    2 + 6 + 1,
  ],
  [
    invariant,
    'orders that count their disputes, rightly and wrongly',
    async (books) => {
      const claimed = { amount_minor: 10, quota: 50, lost_quota: 7 };
      // Lawful: an order without a dispute, all of it claimed, and a plan of which more quota is gone than the order has.
      await books.order();
      await disputed(books, { dispute: claimed });
      await disputed(books, { dispute: { amount_minor: 60, quota: 300 }, order: { refunded_minor: 40 } });
      await disputed(books, { dispute: { quota: 300, lost_quota: 201 }, order: { plan_id: 1 } });
      // Reported: each sum alone, and more than the order has of money and of quota.
      await disputed(books, { dispute: claimed, order: { disputed_minor: 11 } });
      await disputed(books, { dispute: claimed, order: { disputed_quota: 51 } });
      await disputed(books, { dispute: claimed, order: { frozen_quota: 1 } });
      await disputed(books, { dispute: claimed, order: { lost_quota: 8 } });
      await disputed(books, { dispute: { amount_minor: 60 }, order: { refunded_minor: 41 } });
      await disputed(books, { dispute: { quota: 300, lost_quota: 101 }, order: { refunded_quota: 100 } });
    },
    undefined,
    6,
  ],
  [
    invariant,
    'losses with and without the refund of the bank',
    async (books) => {
      const lost = { status: 'lost', booked_minor: 5 } as const;
      // Lawful: a refund of the bank, and refunds that are not the bank's or did not happen.
      await disputed(books, { dispute: lost, refund: bankRefund() });
      await disputed(books, { refund: {} });
      await disputed(books, { refund: { ...bankRefund(), status: 'failed' } });
      // Reported.
      await disputed(books, { dispute: lost });
      await disputed(books, { refund: bankRefund() });
      await disputed(books, { dispute: lost, refund: { ...bankRefund(), amount_minor: 4 } });
    },
    undefined,
    3,
  ],
];
