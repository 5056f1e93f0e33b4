// The one place that writes `plans`, for the console, the configuration file and imports.
import type { Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Actor } from '#server/admin/context.ts';
import type { NewRow, Row, RowChange, Schema } from '#server/platform/store/schema.ts';

const targetOf = (id: number) => `plan:${id}` as const;

/** Without an audit row: an import has one for the whole. */
export async function insertPlan(
  transaction: Transaction<Schema>,
  columns: Omit<NewRow<'plans'>, 'created_at'> & { created_at?: number },
): Promise<Row<'plans'>> {
  return await transaction
    .insertInto('plans')
    .values({ created_at: unixSeconds(), ...columns })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Adds the plan, or changes the one that was there before. */
export async function savePlan(
  actor: Actor,
  transaction: Transaction<Schema>,
  before: Row<'plans'> | undefined,
  columns: RowChange<'plans'> & { name: string },
): Promise<Row<'plans'>> {
  const row =
    before === undefined
      ? await insertPlan(transaction, columns)
      : await transaction
          .updateTable('plans')
          .set(columns)
          .where('id', '=', before.id)
          .where('deleted_at', 'is', null)
          .returningAll()
          .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  const action = before === undefined ? 'plan.create' : 'plan.change';
  await actor.audit(transaction, action, targetOf(row.id), before, columns);
  return row;
}

export async function removePlan(actor: Actor, transaction: Transaction<Schema>, id: number): Promise<void> {
  const removed = await transaction
    .updateTable('plans')
    .set({ deleted_at: unixSeconds(), on_sale: 0 })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(['name'])
    .executeTakeFirst();
  if (removed === undefined) throw new AppError('not_found');
  await actor.audit(transaction, 'plan.remove', targetOf(id), removed);
}
