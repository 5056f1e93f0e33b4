// The supplier that a channel names must exist when the channel is saved.
import { AppError } from '#contract/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';

export async function requireSupplier(
  transaction: Transaction<Schema>,
  id: number | undefined,
): Promise<void> {
  if (id === undefined || id === 0) return;
  const found = transaction.selectFrom('suppliers').select('id').where('id', '=', id);
  if ((await found.executeTakeFirst()) === undefined)
    throw new AppError(
      'channel_member_invalid',
      { field: 'supplier_id', name: String(id) },
      { field: 'supplier_id' },
    );
}
