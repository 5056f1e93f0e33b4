// Deletes a code: it is not listed and not accepted any more. The row stays for the ledger entry of a used code.
import type { RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { redemptions } from '#contract/money/redemptions.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { RedemptionDependencies } from './dependencies.ts';
import { auditedCode } from './view.ts';

export function removeCode(dependencies: RedemptionDependencies) {
  return async ({ params }: Input<typeof redemptions.remove>, context: RequestContext): Promise<null> => {
    await dependencies.store.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable('redemptions')
        .set({ deleted_at: nowSeconds(dependencies) })
        .where('id', '=', params.id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new AppError('not_found');
      await context.audit(transaction, 'redemption.delete', `redemption:${row.id}`, auditedCode(row));
    });
    return null;
  };
}
