// Names of the operators in lists.
import type { Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

export async function namesOf(db: Kysely<Schema>, ids: readonly number[]): Promise<Map<number, string>> {
  const wanted = [...new Set(ids)].filter((id) => id > 0);
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', wanted).execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
}
