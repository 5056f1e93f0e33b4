// Binds an outside identity to the caller's account. One identity belongs to one account: a unique index decides races.
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import {
  COLUMNS,
  NAME_COLUMNS,
  nameOf,
  type OutsideIdentity,
  type OutsideLoginDependencies,
} from './dependencies.ts';
import { BOUND_NAME_CHARACTERS, plainName } from './names.ts';

export async function bindIdentity(
  { store, settings, ownerLetters }: OutsideLoginDependencies,
  { provider, id, knownAs }: OutsideIdentity,
  context: RequestContext,
): Promise<void> {
  const user = callerOf(context);
  const column = COLUMNS[provider];
  const name = nameOf(provider, settings.current);
  try {
    await store.db.transaction().execute(async (transaction) => {
      const outsideName = plainName(knownAs, BOUND_NAME_CHARACTERS);
      await changeUser(transaction, user.id, { [column]: id, [NAME_COLUMNS[provider]]: outsideName });
      await ownerLetters.put(transaction, user.id, 'outside_bound', context.address, name);
      await context.audit(transaction, 'user.bind', `user:${user.id}`, undefined, { provider });
    });
  } catch (error) {
    if (!isUniqueViolation(error, column)) throw error;
    throw new AppError('outside_already_bound', { provider: name });
  }
  ownerLetters.wake();
}
