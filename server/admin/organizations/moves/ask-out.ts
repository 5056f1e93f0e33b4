// Asks that money leaves the organization, to the balance of a member or of another organization of the caller. It leaves at once
// only where no other owner could accept it.
import type { Transaction } from 'kysely';
import { OPEN_MOVES_MAX, type moves } from '#contract/admin/organization-moves.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor, memberOf, scopeIn, type Acting } from '#server/admin/organizations/acting.ts';
import { counterClock } from '#server/admin/organizations/budgets/view.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { acceptingOwners, book, openAccount, type MoveParts } from './book.ts';
import { findAsked, oneMove } from './view.ts';

type Body = Input<typeof moves.out>['body'];

export function askOut(parts: MoveParts): Handler<typeof moves.out> {
  const { store, ledger } = parts;
  return async ({ body }, context) => {
    const { amount, request_id, reason } = body;
    await ledger.writeHolds(scopeIn(context).id);
    const clock = await counterClock(parts);
    const move = await store.db.transaction().execute(async (transaction) => {
      const acting = await actFor(store, transaction, context, 'billing.manage');
      const { id, caller } = acting;
      const wish = { asked_by: caller.id, from_id: id, to_id: namedReceiver(body), amount };
      const known = await findAsked(transaction, request_id, wish);
      if (known !== undefined) return known;
      await refuseTooMany(transaction, id);
      const to_id = await receiverOf(transaction, acting, body);
      const made = await transaction
        .insertInto('balance_moves')
        .values({
          ...wish,
          to_id,
          reason,
          request_key: request_id,
          created_at: unixSeconds(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const after = { request: made.id, user_id: to_id, quota: amount, reason };
      await context.audit(transaction, 'organization.move_ask', `organization:${id}`, undefined, after);
      if ((await acceptingOwners(transaction, id, made)).length > 0) return made;
      if (acting.role !== 'owner') throw new AppError('move_other_owner');
      await book(parts, transaction, made, clock);
      await transaction
        .updateTable('balance_moves')
        .set({ status: 'done', decided_by: caller.id, decided_at: unixSeconds() })
        .where('id', '=', made.id)
        .execute();
      return made;
    });
    await store.changes.announce('users', String(move.from_id));
    await store.changes.announce('users', String(move.to_id));
    return await oneMove(store.db, context, move.id);
  };
}

const namedReceiver = ({ to_user_id, to_organization_id }: Body): number =>
  to_organization_id ?? to_user_id ?? 0;

/** A member, or another organization that the caller owns. */
async function receiverOf(
  transaction: Transaction<Schema>,
  { id, caller }: Acting,
  body: Body,
): Promise<number> {
  const { to_user_id, to_organization_id } = body;
  const unknown = new AppError('move_receiver_unknown', {}, { field: 'to_user_id' });
  if ((to_user_id === undefined) === (to_organization_id === undefined)) throw unknown;
  if (to_organization_id !== undefined) {
    const member = await memberOf(transaction, to_organization_id, caller.id);
    if (to_organization_id === id || member?.role !== 'owner') throw unknown;
  } else if ((await memberOf(transaction, id, to_user_id ?? 0)) === undefined) throw unknown;
  return (await openAccount(transaction, namedReceiver(body))).id;
}

async function refuseTooMany(transaction: Transaction<Schema>, organizationId: number): Promise<void> {
  const { total } = await transaction
    .selectFrom('balance_moves')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('from_id', '=', organizationId)
    .where('status', '=', 'open')
    .executeTakeFirstOrThrow();
  if (total >= OPEN_MOVES_MAX) throw new AppError('move_limit_reached', { limit: OPEN_MOVES_MAX });
}
