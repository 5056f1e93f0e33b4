// Whose figures are asked for: an administrator names a user or nobody, which means everybody.
import { sql } from 'kysely';
import type { Store } from '#server/store/store.ts';

export interface NamedUser {
  id: number;
  username: string;
}

/** Compared as the login compares it, without regard to case. */
export async function userNamed(store: Store, username: string): Promise<NamedUser | undefined> {
  return await store.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst();
}
