// Moves money from the caller's own balance into the organization. The caller owns it, so nobody has to accept.
import type { moves } from '#contract/admin/organization-moves.ts';
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { actFor } from '#server/admin/organizations/acting.ts';
import { counterClock } from '#server/admin/organizations/budgets/view.ts';
import { book, type MoveParts } from './book.ts';
import { findAsked, oneMove } from './view.ts';

export function moveInto(parts: MoveParts): Handler<typeof moves.into> {
  const { store, ledger } = parts;
  return async ({ body: { amount, request_id } }, context) => {
    await ledger.writeHolds(callerOf(context).id);
    const clock = await counterClock(parts);
    const move = await store.db.transaction().execute(async (transaction) => {
      const { id, caller } = await actFor(store, transaction, context, 'billing.manage');
      const wish = { asked_by: caller.id, from_id: caller.id, to_id: id, amount };
      const known = await findAsked(transaction, request_id, wish);
      if (known !== undefined) return known;
      const now = unixSeconds();
      const made = await transaction
        .insertInto('balance_moves')
        .values({
          ...wish,
          request_key: request_id,
          created_at: now,
          status: 'done',
          decided_by: caller.id,
          decided_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await book(parts, transaction, made, clock);
      const after = { user_id: caller.id, quota: amount };
      await context.audit(transaction, 'organization.move_in', `organization:${id}`, undefined, after);
      return made;
    });
    await store.changes.announce('users', String(move.from_id));
    await store.changes.announce('users', String(move.to_id));
    return await oneMove(store.db, context, move.id);
  };
}
