// Deletes a token: no new call is admitted with it, running ones settle, and the owner can undo it for a while.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { tokens } from '#contract/tokens.ts';
import { nowSeconds, type TokenDependencies } from './dependencies.ts';
import { auditedToken } from './view.ts';

export function removeToken(dependencies: TokenDependencies) {
  return async ({ params }: Input<typeof tokens.remove>, context: RequestContext): Promise<null> => {
    const caller = callerOf(context);
    const row = await dependencies.store.db
      .updateTable('tokens')
      .set({ deleted_at: nowSeconds(dependencies) })
      .where('id', '=', params.id)
      .where('user_id', '=', caller.id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new AppError('not_found');
    await dependencies.store.changes.announce('tokens', String(row.id));
    await context.audit('token.delete', `token:${row.id}`, auditedToken(row));
    return null;
  };
}
