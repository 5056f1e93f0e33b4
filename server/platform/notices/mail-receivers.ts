// Where the mail of a notice goes: to the address of the user's account; for the operators to the addresses they entered, or to
// those of the super admins.
import type { Kysely } from 'kysely';
import { ROLE } from '#contract/access.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { openConfig, type StoredDestination } from './stored-destinations.ts';

const ENABLED = 1;

export interface MailReceivers {
  recipients: string[];
  /** Of the user; empty for the operators. */
  username: string;
}

export async function mailReceivers(
  store: Store,
  db: Kysely<Schema>,
  userId: number,
  destination: StoredDestination,
): Promise<MailReceivers> {
  if (userId > 0) {
    const user = await livingUser(db, userId);
    return { recipients: user?.email ? [user.email] : [], username: user?.username ?? '' };
  }
  const entered = addressesOf(openConfig(store, destination)['addresses'] ?? '');
  if (entered.length > 0) return { recipients: entered, username: '' };
  const roots = await db
    .selectFrom('users')
    .select('email')
    .where('role', '=', ROLE.root)
    .where('status', '=', ENABLED)
    .where('email', '<>', '')
    .where('deleted_at', 'is', null)
    .execute();
  return { recipients: roots.map(({ email }) => email), username: '' };
}

export function addressesOf(text: string): string[] {
  return text.split(/[\s,;，；]+/).filter(Boolean);
}

/** Undefined: the account was deleted. */
export async function livingUser(
  db: Kysely<Schema>,
  userId: number,
): Promise<{ username: string; email: string } | undefined> {
  return await db
    .selectFrom('users')
    .select(['username', 'email'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
