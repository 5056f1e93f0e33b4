// The one place that writes the fields of `shadows`. Announce `shadows` after the commit.
import type { Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import type { ShadowFields } from '#contract/relay/shadow-calls.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Actor } from '#server/admin/context.ts';
import { shadowFieldsOf } from '#server/relay/shadow-calls/book.ts';
import { forgetShadow } from '#server/relay/shadow-calls/samples.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';

export const shadowTarget = (id: number) => `shadow:${id}` as const;

/** A virtual model would choose another model for each copy, so that nothing could be compared. */
async function refuseVirtualTarget(transaction: Transaction<Schema>, { target_model }: ShadowFields) {
  const virtual = await transaction
    .selectFrom('virtual_models')
    .select('id')
    .where('name', '=', target_model)
    .where('enabled', '=', 1)
    .executeTakeFirst();
  const served = await transaction
    .selectFrom('abilities')
    .select('model')
    .where('model', '=', target_model)
    .executeTakeFirst();
  if (virtual !== undefined && served === undefined)
    throw invalidField('target_model', {
      zh: '目标必须是普通模型，不能是虚拟模型',
      en: 'the target must be a plain model, not a virtual one',
    });
}

/** Adds the comparison, or changes the one that was there before. */
export async function saveShadow(
  actor: Actor,
  transaction: Transaction<Schema>,
  before: Row<'shadows'> | undefined,
  fields: ShadowFields,
): Promise<Row<'shadows'>> {
  await refuseVirtualTarget(transaction, fields);
  const { name, enabled, model, target_model, ...rules } = fields;
  const now = unixSeconds();
  const columns = {
    name,
    model,
    target_model,
    enabled: enabled ? 1 : 0,
    rules: JSON.stringify(rules),
    updated_at: now,
  } as const;
  const written =
    before === undefined
      ? transaction.insertInto('shadows').values({ ...columns, created_at: now })
      : transaction.updateTable('shadows').set(columns).where('id', '=', before.id);
  const row = await written
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw invalidField('name', {
        zh: '已有同名的对比',
        en: 'another comparison has this name',
      });
    });
  const action = before === undefined ? 'shadow.create' : 'shadow.change';
  await actor.audit(
    transaction,
    action,
    shadowTarget(row.id),
    before && shadowFieldsOf(before),
    shadowFieldsOf(row),
  );
  return row;
}

export async function removeShadow(
  actor: Actor,
  transaction: Transaction<Schema>,
  id: number,
): Promise<void> {
  const row = await transaction.deleteFrom('shadows').where('id', '=', id).returningAll().executeTakeFirst();
  if (!row) throw new AppError('not_found');
  await forgetShadow(transaction, id);
  await actor.audit(transaction, 'shadow.delete', shadowTarget(id), shadowFieldsOf(row));
}
