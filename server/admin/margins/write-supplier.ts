// The one place that writes `suppliers`, for the console and the configuration file. Announce `channels` after the commit: the
// cost of their calls changes.
import type { Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Actor } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { changeChannels } from '#server/relay/channel-choice/write.ts';

type SupplierFields = Pick<Row<'suppliers'>, 'name' | 'buy_price'>;

export const supplierTarget = (id: number) => `supplier:${id}` as const;

/** Adds the supplier, or changes the one that was there before. */
export async function saveSupplier(
  actor: Actor,
  transaction: Transaction<Schema>,
  before: Row<'suppliers'> | undefined,
  fields: SupplierFields,
): Promise<Row<'suppliers'>> {
  const written =
    before === undefined
      ? transaction.insertInto('suppliers').values({ ...fields, created_at: unixSeconds() })
      : transaction.updateTable('suppliers').set(fields).where('id', '=', before.id);
  const row = await written.returningAll().executeTakeFirstOrThrow();
  const action = before === undefined ? 'supplier.create' : 'supplier.change';
  await actor.audit(transaction, action, supplierTarget(row.id), before, row);
  return row;
}

/** Its channels have no supplier then. */
export async function removeSupplier(
  actor: Actor,
  transaction: Transaction<Schema>,
  id: number,
): Promise<void> {
  const row = await transaction
    .deleteFrom('suppliers')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new AppError('not_found');
  await changeChannels(transaction, (builder) => builder('supplier_id', '=', id), { supplier_id: 0 });
  await actor.audit(transaction, 'supplier.delete', supplierTarget(id), row);
}
