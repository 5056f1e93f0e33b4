// Notices of what lasts: the key of one is open while its cause is there, and ended when it is over, so that the next one is another
// occurrence. The table keeps the keys, so a restart and other nodes raise nothing twice.
import type { Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

export interface OpenOccurrence {
  id: number;
  key: string;
}

/** `prefix` has no sign of a pattern. */
export async function openOccurrences(db: Kysely<Schema>, prefix: string): Promise<OpenOccurrence[]> {
  const rows = await db
    .selectFrom('notices')
    .select(['id', 'once_key'])
    .where('once_key', 'like', `${prefix}%`)
    .execute();
  return rows.flatMap(({ id, once_key: key }) => (key === null ? [] : [{ id, key }]));
}

/** Idempotent. */
export async function endOccurrence(db: Kysely<Schema>, id: number): Promise<void> {
  await db
    .updateTable('notices')
    .set({ once_key: `ended:${id}` })
    .where('id', '=', id)
    .execute();
}
