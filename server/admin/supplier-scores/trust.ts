// Marks a channel as trusted: others of the same model are compared with it, and it is not judged itself. The next run of
// the job uses it.
import { AppError } from '#contract/errors.ts';
import type { suppliers } from '#contract/suppliers/suppliers.ts';
import type { Handler } from '#server/admin/context.ts';
import { setTrusted } from '#server/suppliers/assess.ts';
import type { SupplierDependencies } from './dependencies.ts';

export function trustChannel({ store }: SupplierDependencies): Handler<typeof suppliers.trust> {
  return async ({ params: { id }, body }, context) => {
    await store.db.transaction().execute(async (transaction) => {
      const channel = await transaction
        .selectFrom('channels')
        .leftJoin('supplier_scores', 'supplier_scores.channel_id', 'channels.id')
        .select(['channels.id', 'is_trusted'])
        .where('channels.id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (channel === undefined) throw new AppError('not_found');
      await setTrusted(transaction, id, body.is_trusted);
      const before = { is_trusted: channel.is_trusted === 1 };
      await context.audit(transaction, 'supplier.trust', `channel:${id}`, before, body);
    });
    return null;
  };
}
