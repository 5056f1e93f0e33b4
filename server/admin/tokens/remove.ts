// Deletes a token: new calls are refused, running calls settle, and the owner can undo it for a while.
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import type { tokens } from '#contract/admin/tokens.ts';
import type { TokenDependencies } from './dependencies.ts';
import { isWithin, reachOf } from './reach.ts';
import { auditedToken } from './view.ts';

export function removeToken(dependencies: TokenDependencies): Handler<typeof tokens.remove> {
  return async ({ params }, context) => {
    const reach = reachOf(context);
    const { db, changes } = dependencies.store;
    await db.transaction().execute(async (transaction) => {
      const row = await transaction
        .updateTable('tokens')
        .set({ deleted_at: nowSeconds(dependencies) })
        .where('id', '=', params.id)
        .where((builder) => isWithin(builder, reach))
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw new AppError('not_found');
      await context.audit(transaction, 'token.delete', `token:${row.id}`, auditedToken(row));
    });
    await changes.announce('tokens', String(params.id));
    return null;
  };
}
