// One action on many codes, in one statement. Codes it cannot be applied to are unchanged and listed in the response.
import type { RequestContext } from '#server/admin/context.ts';
import type { Input, Output } from '#contract/endpoint.ts';
import { REDEMPTION_STATUS, type redemptions } from '#contract/money/redemptions.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';

export function batchCodes(dependencies: RedemptionDependencies) {
  return async (
    { body }: Input<typeof redemptions.batch>,
    context: RequestContext,
  ): Promise<Output<typeof redemptions.batch>> =>
    dependencies.store.db.transaction().execute(async (transaction) => {
      const known = await readKnownIds(transaction, body.ids);
      const update = transaction
        .updateTable('redemptions')
        .where('id', 'in', known)
        .where('deleted_at', 'is', null)
        .returning('id');
      const statements = {
        delete: () => update.set({ deleted_at: nowSeconds(dependencies) }),
        disable: () =>
          update.set({ status: REDEMPTION_STATUS.disabled }).where('status', '<>', REDEMPTION_STATUS.used),
        enable: () =>
          update.set({ status: REDEMPTION_STATUS.unused }).where('status', '<>', REDEMPTION_STATUS.used),
      };
      const rows = known.length === 0 ? [] : await statements[body.action]().execute();
      const changed = rows.map(({ id }) => id).sort((left, right) => left - right);
      if (changed.length > 0)
        await context.audit(transaction, `redemption.${body.action}`, 'redemptions', undefined, {
          ids: changed,
        });
      return { changed, refused: known.filter((id) => !changed.includes(id)) };
    });
}

async function readKnownIds(transaction: Transaction<Schema>, ids: readonly number[]): Promise<number[]> {
  const rows = await transaction
    .selectFrom('redemptions')
    .select('id')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
