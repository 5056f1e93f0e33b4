// An owner accepts that money leaves the organization, or it is declined or withdrawn.
import type { Transaction } from 'kysely';
import type { moves } from '#contract/admin/organization-moves.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { actFor, memberOf, scopeIn } from '#server/admin/organizations/acting.ts';
import { counterClock } from '#server/admin/organizations/budgets/view.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { acceptingOwners, book, type MoveParts } from './book.ts';
import { oneMove } from './view.ts';

export function acceptMove(parts: MoveParts): Handler<typeof moves.accept> {
  const { store, ledger } = parts;
  return async ({ params }, context) => {
    await ledger.writeHolds(scopeIn(context).id);
    const clock = await counterClock(parts);
    const move = await store.db.transaction().execute(async (transaction) => {
      const { id, caller } = await actFor(store, transaction, context, 'billing.release');
      const found = await openMove(transaction, id, params.id);
      if (!(await acceptingOwners(transaction, id, found)).includes(caller.id))
        throw new AppError('move_other_owner');
      await requireReceiver(transaction, id, found);
      await book(parts, transaction, found, clock);
      await decide(transaction, found, caller.id, 'done');
      const after = { request: found.id, user_id: found.to_id, quota: found.amount };
      await context.audit(transaction, 'organization.move_accept', `organization:${id}`, undefined, after);
      return found;
    });
    await store.changes.announce('users', String(move.from_id));
    await store.changes.announce('users', String(move.to_id));
    return await oneMove(store.db, context, move.id);
  };
}

export function declineMove({ store }: MoveParts): Handler<typeof moves.decline> {
  return async ({ params }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const { id, caller, role } = await actFor(store, transaction, context, 'billing.manage');
      const found = await openMove(transaction, id, params.id);
      if (role !== 'owner' && found.asked_by !== caller.id) throw new AppError('move_other_owner');
      await decide(transaction, found, caller.id, 'declined');
      const after = { request: found.id, user_id: found.to_id, quota: found.amount };
      await context.audit(transaction, 'organization.move_decline', `organization:${id}`, undefined, after);
    });
    return await oneMove(store.db, context, params.id);
  };
}

/** With the organization locked: of two answers at once the second finds it decided. */
async function openMove(
  transaction: Transaction<Schema>,
  organizationId: number,
  id: number,
): Promise<Row<'balance_moves'>> {
  const row = await transaction
    .selectFrom('balance_moves')
    .selectAll()
    .where('id', '=', id)
    .where('from_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  if (row.status !== 'open') throw new AppError('move_decided');
  return row;
}

/** Since it was asked, a member may have left, and who asked may have lost the other organization. */
async function requireReceiver(
  transaction: Transaction<Schema>,
  organizationId: number,
  { to_id, asked_by }: Row<'balance_moves'>,
): Promise<void> {
  const isMember = (await memberOf(transaction, organizationId, to_id)) !== undefined;
  const owned = await memberOf(transaction, to_id, asked_by);
  if (!isMember && owned?.role !== 'owner') throw new AppError('move_receiver_unknown');
}

async function decide(
  transaction: Transaction<Schema>,
  { id }: Row<'balance_moves'>,
  decided_by: number,
  status: 'done' | 'declined',
): Promise<void> {
  await transaction
    .updateTable('balance_moves')
    .set({ status, decided_by, decided_at: unixSeconds() })
    .where('id', '=', id)
    .execute();
}
