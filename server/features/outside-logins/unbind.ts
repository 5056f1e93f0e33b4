// Unties an outside identity from the caller's own account, unless it is the last way in: a password that may be used, a
// passkey, or another account elsewhere whose provider is on must be left.
import type { Transaction } from 'kysely';
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { OUTSIDE_PROVIDERS, type OutsideProvider, type outsideLogins } from '#contract/outside-logins.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import { COLUMNS, isEnabled, nameOf, type OutsideLoginDependencies } from './dependencies.ts';

export function unbind({ store, settings, ownerLetters }: OutsideLoginDependencies) {
  return async (
    { params: { provider } }: Input<typeof outsideLogins.unbind>,
    context: RequestContext,
  ): Promise<null> => {
    const { id } = callerOf(context);
    const column = COLUMNS[provider];
    const name = nameOf(provider, settings.current);
    await store.db.transaction().execute(async (transaction) => {
      // Locked: two at once must not each count on the other.
      const query = transaction.selectFrom('users').selectAll().where('id', '=', id);
      const user = await (store.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirstOrThrow();
      if (user[column] === '') throw new AppError('outside_not_bound', { provider: name });
      if (!(await hasOtherWay(transaction, user, provider))) throw new AppError('outside_last_way');
      await transaction
        .updateTable('users')
        .set({ [column]: '' })
        .where('id', '=', id)
        .execute();
      await ownerLetters.put(transaction, id, 'outside_unbound', context.address, name);
    });
    ownerLetters.wake();
    await context.audit('user.unbind', `user:${id}`, { provider });
    return null;
  };

  async function hasOtherWay(
    transaction: Transaction<Schema>,
    user: Row<'users'>,
    without: OutsideProvider,
  ): Promise<boolean> {
    if (user.password_hash !== '' && settings.current.PasswordLoginEnabled) return true;
    const isOther = (provider: OutsideProvider) =>
      provider !== without && user[COLUMNS[provider]] !== '' && isEnabled(provider, settings.current);
    if (OUTSIDE_PROVIDERS.some(isOther)) return true;
    const passkey = await transaction
      .selectFrom('passkeys')
      .select('id')
      .where('user_id', '=', user.id)
      .limit(1)
      .executeTakeFirst();
    return passkey !== undefined;
  }
}
