// Corruptions of disputes, each by direct SQL, for the tests of the invariants.
import type { NewRow } from '#server/store/schema.ts';
import type { Books, Corruption } from './books.ts';
import { newId } from './world.ts';

const invariant = 'disputes and their entries match one to one';

async function dispute(
  { world, userId, paidOrder }: Books,
  columns: Partial<NewRow<'disputes'>>,
  ofOrder: Partial<NewRow<'orders'>>,
): Promise<void> {
  const { db } = world.store;
  await paidOrder(500, 500);
  const { id } = await db
    .updateTable('orders')
    .set({ lost_quota: 0, ...ofOrder })
    .returning('id')
    .executeTakeFirstOrThrow();
  const row = { reference: newId(), order_id: id, user_id: userId, created_at: 1, ...columns };
  await db.insertInto('disputes').values(row).execute();
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
