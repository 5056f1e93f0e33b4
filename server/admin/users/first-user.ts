// Creates the super admin of an installation without users, with a starting quota that is booked in the ledger.
import { insertUser } from '#server/admin/write-user.ts';
import { ROLE } from '#contract/access.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import type { Store } from '#server/platform/store/store.ts';

export const FIRST_USER = { username: 'root', displayName: 'Root User', quota: 100_000_000 } as const;

export async function hasUsers(store: Store): Promise<boolean> {
  return (await store.db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** False when another node was quicker. `isInitial`: the password is generated, so the console asks for a new one. */
export async function createFirstUser(
  store: Store,
  ledger: Pick<Ledger, 'transferWithin'>,
  password: string,
  isInitial: boolean,
): Promise<boolean> {
  const password_hash = await hashPassword(password);
  try {
    await store.db.transaction().execute(async (transaction) => {
      const id = await insertUser(transaction, {
        username: FIRST_USER.username,
        password_hash,
        password_is_initial: isInitial ? 1 : 0,
        display_name: FIRST_USER.displayName,
        role: ROLE.root,
      });
      const granted = await ledger.transferWithin(transaction, {
        idem: `signup:${id}`,
        userId: id,
        amount: FIRST_USER.quota,
        from: 'world:signup',
        to: 'user',
        kind: 'signup',
        reference: `user:${id}`,
      });
      if (!granted.ok) throw new Error(`the first grant could not be booked: ${granted.reason}`);
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error, 'username')) return false;
    throw error;
  }
}
