// Books a move, and who must accept that money leaves an organization.
import type { Kysely, Transaction } from 'kysely';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import type { OrganizationDependencies } from '#server/admin/organizations/dependencies.ts';
import type { CounterClock } from '#server/money/ledger/budget-counters.ts';
import { bookMove } from '#server/money/ledger/moves.ts';
import { dollarsOfQuota } from '#server/money/quota-units.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';

export type MoveParts = Pick<OrganizationDependencies, 'store' | 'settings' | 'ledger'>;
type Move = Row<'balance_moves'>;

/** A person, or an organization, whose balance may change. */
export async function openAccount(
  transaction: Transaction<Schema>,
  id: number,
): Promise<{ id: number; name: string }> {
  const row = await transaction
    .selectFrom('users')
    .leftJoin('organizations', 'organizations.id', 'users.id')
    .select(['users.id', 'users.username', 'organizations.name'])
    .where('users.id', '=', id)
    .where('users.status', '=', USER_STATUS.activated)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('move_receiver_unknown');
  return { id: row.id, name: row.name ?? row.username };
}

export async function book(
  { store, settings }: MoveParts,
  transaction: Transaction<Schema>,
  move: Pick<Move, 'id' | 'from_id' | 'to_id' | 'amount'>,
  clock: CounterClock,
): Promise<void> {
  const [from, to] = [
    await openAccount(transaction, move.from_id),
    await openAccount(transaction, move.to_id),
  ];
  const keeps = await readPromised(transaction, move.from_id, clock);
  const { id, amount } = move;
  const result = await bookMove(transaction, store.dialect, { id, from, to, amount, keeps });
  if (result.ok) return;
  if (result.reason === 'over_limit') throw new AppError('move_over_limit');
  const { QuotaPerUnit } = settings.current;
  const available = `$${dollarsOfQuota(result.available, QuotaPerUnit).toFixed(6)}`;
  throw new AppError('move_short', { available }, { field: 'amount' });
}

/** What was granted on top of budgets and is not spent yet: it was promised to members until the window ends. */
async function readPromised(
  transaction: Transaction<Schema>,
  organizationId: number,
  { now }: CounterClock,
): Promise<number> {
  const counters = await transaction
    .selectFrom('budget_counters as counter')
    .innerJoin('budgets', 'budgets.id', 'counter.budget_id')
    .select(['counter.quota', 'counter.extra', 'counter.spent', 'counter.held'])
    .where('counter.organization_id', '=', organizationId)
    .where('counter.extra', '>', 0)
    .where('counter.window_end', '>', now)
    .where('budgets.ended_at', '=', 0)
    .execute();
  return counters.reduce(
    (sum, { quota, extra, spent, held }) => sum + Math.max(0, Math.min(extra, quota + extra - spent - held)),
    0,
  );
}

/**
 * The owners who may accept that money leaves: neither who asked nor who gets it, where there is such an owner; else any owner but
 * who asked. The list is empty when whoever asked is the only owner.
 */
export async function acceptingOwners(
  db: Kysely<Schema>,
  organizationId: number,
  { asked_by, to_id }: Pick<Move, 'asked_by' | 'to_id'>,
): Promise<number[]> {
  const owners = await db
    .selectFrom('organization_members')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('left_at', '=', 0)
    .execute();
  const others = owners.map(({ user_id }) => user_id).filter((id) => id !== asked_by);
  const free = others.filter((id) => id !== to_id);
  return free.length > 0 ? free : others;
}
