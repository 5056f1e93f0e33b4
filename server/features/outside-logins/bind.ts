// Binds an outside identity to the caller's account. One identity belongs to one account: a unique index decides races.
import { callerOf, type RequestContext } from '#server/features/context.ts';
import { AppError } from '#contract/errors.ts';
import { isUniqueViolation } from '#server/store/errors.ts';
import { COLUMNS, nameOf, type OutsideIdentity, type OutsideLoginDependencies } from './dependencies.ts';

export async function bindIdentity(
  { store, settings, ownerLetters }: OutsideLoginDependencies,
  { provider, id }: OutsideIdentity,
  context: RequestContext,
): Promise<void> {
  const user = callerOf(context);
  const column = COLUMNS[provider];
  const name = nameOf(provider, settings.current);
  try {
    await store.db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('users')
        .set({ [column]: id })
        .where('id', '=', user.id)
        .execute();
      await ownerLetters.put(transaction, user.id, 'outside_bound', context.address, name);
      await context.audit(transaction, 'user.bind', `user:${user.id}`, undefined, { provider });
    });
  } catch (error) {
    if (!isUniqueViolation(error, column)) throw error;
    throw new AppError('outside_already_bound', { provider: name });
  }
  ownerLetters.wake();
}
