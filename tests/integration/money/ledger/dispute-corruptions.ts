// Corruptions of disputes, each by direct SQL, for the tests of the invariants.
import { DISPUTE_FREEZE_KIND, disputeIdem } from '#server/money/ledger/idempotency.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Books, Corruption } from './books.ts';
import { newId } from './world.ts';

const invariant = 'disputes and their entries match one to one';

async function dispute(
  { world, userId, paidOrder }: Books,
  columns: Partial<NewRow<'disputes'>>,
  ofOrder: Partial<NewRow<'orders'>>,
): Promise<number> {
  const { db } = world.store;
  await paidOrder(500, 500);
  const { id } = await db
    .updateTable('orders')
    .set({ lost_quota: 0, ...ofOrder })
    .returning('id')
    .executeTakeFirstOrThrow();
  const row = { reference: newId(), order_id: id, user_id: userId, created_at: 1, ...columns };
  const inserted = await db.insertInto('disputes').values(row).returning('id').executeTakeFirstOrThrow();
  return inserted.id;
}

export const disputeCorruptions: Corruption[] = [
  [
    invariant,
    'a dispute that froze without an entry',
    (books) => dispute(books, { quota: 5, frozen_quota: 5 }, { disputed_quota: 5, frozen_quota: 5 }),
  ],
  [
    invariant,
    'an entry without its dispute',
    ({ world, userId }) => {
      const entry = { idem: newId(), userId, amount: 5, kind: 'dispute_return', reference: '' };
      return world.ledger.credit({ ...entry, from: 'world:dispute' });
    },
  ],
  [
    invariant,
    'an entry with a number above the moves of its dispute',
    async (books) => {
      const id = await dispute(books, { quota: 5, moves: 1 }, { disputed_quota: 5 });
      const entry = { idem: disputeIdem(id, 2), userId: books.userId, amount: 5, reference: '' };
      await books.world.ledger.debit({ ...entry, kind: DISPUTE_FREEZE_KIND, to: 'world:dispute' });
    },
  ],
  [
    invariant,
    'an order that does not count what is claimed',
    (books) => dispute(books, { amount_minor: 5 }, {}),
  ],
  [invariant, 'an order that does not count its share', (books) => dispute(books, { quota: 5 }, {})],
  [invariant, 'an order that does not count a loss', (books) => dispute(books, { lost_quota: 5 }, {})],
  [
    invariant,
    'an order of which more is claimed than was paid',
    (books) => dispute(books, { amount_minor: 101 }, { disputed_minor: 101 }),
  ],
  [
    invariant,
    'an order that lost more quota than it had',
    (books) => dispute(books, { lost_quota: 501 }, { lost_quota: 501 }),
  ],
  [
    invariant,
    'a loss without the refund of the bank',
    (books) => dispute(books, { status: 'lost', booked_minor: 5 }, {}),
  ],
];
