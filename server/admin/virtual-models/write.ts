// The one place that writes `virtual_models`, for the console and the configuration file. Announce `virtual_models` after the commit.
import type { Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { VirtualModelFields, VirtualTarget } from '#contract/relay/virtual-models.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Actor } from '#server/admin/context.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';

type Database = Pick<Transaction<Schema>, 'selectFrom'>;

export const virtualModelTarget = (id: number) => `virtual_model:${id}` as const;

export const fieldsOf = (row: Row<'virtual_models'>): VirtualModelFields => ({
  name: row.name,
  description: row.description,
  enabled: row.enabled === 1,
  price: row.price,
  body_model: row.body_model,
  replaces_model: row.replaces_model === 1,
  hedge: row.hedge === 1,
  targets: JSON.parse(row.targets) as VirtualTarget[],
});

/** Which of the names channels have, enabled or not. */
async function findServed(db: Database, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('abilities')
    .select('model')
    .distinct()
    .where('model', 'in', [...new Set(names)])
    .execute();
  return new Set(rows.map(({ model }) => model));
}

/** A name hides no model of channels unless that is asked for, and targets are models of channels. */
async function refuseNames(transaction: Transaction<Schema>, fields: VirtualModelFields): Promise<void> {
  const { name, replaces_model, targets } = fields;
  const models = targets.map(({ model }) => model);
  const served = await findServed(transaction, [name, ...models]);
  if (served.has(name) && !replaces_model)
    throw new AppError('virtual_model_shadows', { name }, { field: 'name' });
  const virtual = await transaction
    .selectFrom('virtual_models')
    .select('name')
    .where('name', 'in', models)
    .execute();
  const names = new Set([name, ...virtual.map((row) => row.name)]);
  const model = models.find((each) => names.has(each) && !served.has(each));
  if (model !== undefined)
    throw new AppError('virtual_model_target_virtual', { model }, { field: 'targets' });
}

/** Adds the virtual model, or changes the one that was there before. */
export async function saveVirtualModel(
  actor: Actor,
  transaction: Transaction<Schema>,
  before: Row<'virtual_models'> | undefined,
  fields: VirtualModelFields,
): Promise<Row<'virtual_models'>> {
  await refuseNames(transaction, fields);
  const { name, description, price, body_model } = fields;
  const now = unixSeconds();
  const columns = {
    name,
    description,
    price,
    body_model,
    enabled: fields.enabled ? 1 : 0,
    replaces_model: fields.replaces_model ? 1 : 0,
    hedge: fields.hedge ? 1 : 0,
    targets: JSON.stringify(fields.targets),
    updated_at: now,
  } as const;
  const written =
    before === undefined
      ? transaction.insertInto('virtual_models').values({ ...columns, created_at: now })
      : transaction.updateTable('virtual_models').set(columns).where('id', '=', before.id);
  const row = await written
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('virtual_model_name_taken', {}, { field: 'name' });
    });
  const action = before === undefined ? 'virtual_model.create' : 'virtual_model.change';
  const old = before && fieldsOf(before);
  await actor.audit(transaction, action, virtualModelTarget(row.id), old, fieldsOf(row));
  return row;
}

export async function removeVirtualModel(
  actor: Actor,
  transaction: Transaction<Schema>,
  id: number,
): Promise<void> {
  const row = await transaction
    .deleteFrom('virtual_models')
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new AppError('not_found');
  await actor.audit(transaction, 'virtual_model.delete', virtualModelTarget(id), fieldsOf(row));
}
