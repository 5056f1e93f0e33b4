// What pages show as held: what running calls hold. The slices of nodes are in `held_quota` too, but they are given
// back for anything that needs them.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import { SLICE_PATTERN } from './engine/slice.ts';

/** In a select of `users`. */
export const heldByCalls = sql<number>`users.held_quota - coalesce(
  (select sum(holds.amount) from holds where holds.user_id = users.id and holds.id like ${SLICE_PATTERN}), 0)`;

/** By token of the user. */
export async function setAsideOf(db: Kysely<Schema>, userId: number): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('holds')
    .select(({ fn }) => ['token_id', fn.sum<number>('amount').as('amount')])
    .where('user_id', '=', userId)
    .where('id', 'like', SLICE_PATTERN)
    .groupBy('token_id')
    .execute();
  return new Map(rows.map(({ token_id, amount }) => [token_id, amount]));
}
