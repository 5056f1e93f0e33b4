// The user whose figures an administrator asks for; without a name all users.
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';

export interface NamedUser {
  id: number;
  username: string;
}

/** Compared without regard to case, as at sign-in. */
export async function userNamed(store: Store, username: string): Promise<NamedUser | undefined> {
  return await store.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst();
}
