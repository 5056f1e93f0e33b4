// Undoes a deletion for a limited time. The key is the same as before.
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import { TOKEN_RESTORE_SECONDS, type tokens } from '#contract/admin/tokens.ts';
import type { TokenDependencies } from './dependencies.ts';
import { holdOrganization, requireWorking } from './holder.ts';
import { refuseTooMany } from './limit.ts';
import { ownToken } from './own-token.ts';
import { reachOf } from './reach.ts';
import { auditedToken, oneTokenView } from './view.ts';

export function restoreToken(dependencies: TokenDependencies): Handler<typeof tokens.restore> {
  return async ({ params }, context) => {
    const reach = reachOf(context);
    const { store } = dependencies;
    const restored = await store.db.transaction().execute(async (transaction) => {
      await holdOrganization(store, transaction, context);
      const row = await ownToken(transaction, reach, params.id, { deleted: true });
      if ((row.deleted_at ?? 0) + TOKEN_RESTORE_SECONDS < nowSeconds(dependencies)) {
        throw new AppError('token_restore_too_late', { minutes: TOKEN_RESTORE_SECONDS / 60 });
      }
      await requireWorking(transaction, row.id);
      await refuseTooMany(store, transaction, reach.userId, 1, row);
      const token = await transaction
        .updateTable('tokens')
        .set({ deleted_at: null })
        .where('id', '=', row.id)
        .where('user_id', '=', row.user_id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await context.audit(transaction, 'token.restore', `token:${token.id}`, undefined, auditedToken(token));
      return token;
    });
    await store.changes.announce('tokens', String(restored.id));
    return oneTokenView(dependencies, context, restored);
  };
}
