// Moves as the API shows them, seen from the organization.
import type { Kysely, Transaction } from 'kysely';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { moves, MoveView } from '#contract/admin/organization-moves.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { callerOf, type Handler, type RequestContext } from '#server/admin/context.ts';
import { scopeIn } from '#server/admin/organizations/acting.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { acceptingOwners, type MoveParts } from './book.ts';

const MOST_SHOWN = 100;

export function listMoves({ store }: MoveParts): Handler<typeof moves.list> {
  return (_, context) => movesOf(store.db, context);
}

export async function oneMove(db: Kysely<Schema>, context: RequestContext, id: number): Promise<MoveView> {
  const [view] = await movesOf(db, context, id);
  if (view === undefined) throw new AppError('not_found');
  return view;
}

/** A retry of the same request; a key that was used for another move is refused, not answered with that one. */
export async function findAsked(
  transaction: Transaction<Schema>,
  requestKey: string,
  wish: Pick<Row<'balance_moves'>, 'asked_by' | 'from_id' | 'to_id' | 'amount'>,
): Promise<Row<'balance_moves'> | undefined> {
  const known = await transaction
    .selectFrom('balance_moves')
    .selectAll()
    .where('asked_by', '=', wish.asked_by)
    .where('request_key', '=', requestKey)
    .executeTakeFirst();
  if (known === undefined) return undefined;
  const isSame = known.from_id === wish.from_id && known.to_id === wish.to_id && known.amount === wish.amount;
  if (!isSame) throw invalidField('request_id', 'other_request');
  return known;
}

async function movesOf(db: Kysely<Schema>, context: RequestContext, only?: number): Promise<MoveView[]> {
  const { id, role } = scopeIn(context);
  const rows = await db
    .selectFrom('balance_moves as move')
    .leftJoin('users as asker', 'asker.id', 'move.asked_by')
    .leftJoin('users as decider', 'decider.id', 'move.decided_by')
    .selectAll('move')
    .select(['asker.username as asker', 'decider.username as decider'])
    .where((builder) => builder.or([builder('move.from_id', '=', id), builder('move.to_id', '=', id)]))
    .$if(only !== undefined, (query) => query.where('move.id', '=', only ?? 0))
    .orderBy((builder) => builder.case().when('move.status', '=', 'open').then(0).else(1).end())
    .orderBy('move.id', 'desc')
    .limit(MOST_SHOWN)
    .execute();
  const others = await db
    .selectFrom('users')
    .leftJoin('organizations', 'organizations.id', 'users.id')
    .select(['users.id', 'users.username', 'organizations.name'])
    .where('users.id', 'in', [0, ...rows.flatMap(({ from_id, to_id }) => [from_id, to_id])])
    .execute();
  const names = new Map(others.map((row) => [row.id, row.name ?? row.username]));
  const isOwner = hasRight(role, 'billing.release');
  return await Promise.all(
    rows.map(async (row): Promise<MoveView> => {
      const isOut = row.from_id === id;
      const other_id = isOut ? row.to_id : row.from_id;
      const mayAccept =
        isOut &&
        isOwner &&
        row.status === 'open' &&
        (await acceptingOwners(db, id, row)).includes(callerOf(context).id);
      return {
        id: row.id,
        direction: isOut ? 'out' : 'in',
        other_id,
        other_name: names.get(other_id) ?? '',
        amount: row.amount,
        reason: row.reason,
        status: row.status,
        asked_by: row.asked_by,
        asked_by_name: row.asker ?? '',
        created_at: row.created_at,
        decided_by_name: row.decider ?? '',
        decided_at: row.decided_at,
        may_accept: mayAccept,
      };
    }),
  );
}
