// Creates one channel per key; all of them or none.
import type { channels } from '#contract/relay/channels.ts';
import { callerOf, type Actor, type Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import type { Transaction } from 'kysely';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { insertChannels } from '#server/relay/channel-choice/write.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { channelColumns, checkType, keysOf } from './fields.ts';
import { requireSupplier } from './supplier.ts';
import { auditedChannel, channelViews } from './view.ts';

export function createChannels(dependencies: ChannelDependencies): Handler<typeof channels.create> {
  return async ({ body }, context) => {
    callerOf(context);
    const columns = channelColumns(body);
    if ((body.groups ?? body.group) === undefined) {
      throw new AppError('channel_groups_required', {}, { field: 'groups' });
    }
    await checkType(
      dependencies,
      { type: body.type, base_url: body.base_url ?? '', other: body.other ?? '' },
      context.language,
    );
    const keys = keysOf(dependencies, body.type, body.key);
    if (keys.length === 0) throw new AppError('channel_key_required', {}, { field: 'key' });
    const { store } = dependencies;
    const rows = await store.db.transaction().execute(async (transaction) => {
      await requireSupplier(transaction, columns.supplier_id);
      const values = { ...columns, tag: columns.tag ?? null, created_time: nowSeconds(dependencies) };
      return await addChannels(context, store, transaction, values, keys);
    });
    await store.changes.announce('channels');
    dependencies.onNewAddress?.(rows);
    return channelViews(dependencies, rows);
  };
}

export async function addChannels(
  actor: Actor,
  store: { vault: Vault },
  transaction: Transaction<Schema>,
  columns: NewRow<'channels'>,
  keys: readonly string[],
): Promise<Row<'channels'>[]> {
  const rows = await insertChannels(store, transaction, columns, keys);
  for (const row of rows)
    await actor.audit(transaction, 'channel.create', `channel:${row.id}`, undefined, auditedChannel(row));
  return rows;
}
