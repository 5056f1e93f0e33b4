// Removes an outside identity from the caller's account, unless it is the last way to sign in.
import { callerOf, type Handler } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import type { outsideLogins } from '#contract/admin/outside-logins.ts';
import { COLUMNS, NAME_COLUMNS, nameOf, type OutsideLoginDependencies } from './dependencies.ts';
import type { WaysIn } from '#server/admin/accounts.ts';

export function unbind(
  { store, settings, ownerLetters }: OutsideLoginDependencies,
  waysIn: WaysIn,
): Handler<typeof outsideLogins.unbind> {
  return async ({ params: { provider } }, context) => {
    const { id } = callerOf(context);
    const column = COLUMNS[provider];
    const name = nameOf(provider, settings.current);
    await store.db.transaction().execute(async (transaction) => {
      const user = await waysIn.lock(transaction, id);
      if (user[column] === '') throw new AppError('outside_not_bound', { provider: name });
      if (!(await waysIn.hasOther(transaction, user, { provider }))) throw new AppError('outside_last_way');
      await changeUser(transaction, id, { [column]: '', [NAME_COLUMNS[provider]]: '' });
      await ownerLetters.put(transaction, id, 'outside_unbound', context.address, name);
      await context.audit(transaction, 'user.unbind', `user:${id}`, { provider });
    });
    ownerLetters.wake();
    return null;
  };
}
