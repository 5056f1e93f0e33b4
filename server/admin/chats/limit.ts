// How many rows one user may have. Two saves at the same time must not both count the rows before the other.
import { sql, type Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The first number of the advisory lock; no other lock of the product uses it. */
const LOCK_SPACE = 7_002;

export async function countRows(
  dialect: Store['dialect'],
  transaction: Transaction<Schema>,
  table: 'kept_chats' | 'chat_shares',
  userId: number,
): Promise<number> {
  // SQLite has one writer.
  if (dialect === 'postgres')
    await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${userId}::int)`.execute(transaction);
  const { total } = await transaction
    .selectFrom(table)
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return total;
}
