// How many rows one user may have. Two saves at the same time must not both count the rows before the other.
import type { Transaction } from 'kysely';
import { takeLock } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export async function countRows(
  store: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  table: 'kept_chats' | 'chat_shares',
  userId: number,
): Promise<number> {
  await takeLock(store, transaction, 'chats', userId);
  const { total } = await transaction
    .selectFrom(table)
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return total;
}
