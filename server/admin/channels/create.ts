// Creates one channel per key; all of them or none.
import type { channels } from '#contract/relay/channels.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import type { Transaction } from 'kysely';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';
import { rebuildAbilities } from './abilities.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { channelColumns, checkType, keysOf } from './fields.ts';
import { keyColumns } from './key.ts';
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
      const values = { ...columns, tag: columns.tag ?? null };
      const made = await insertChannels(dependencies, transaction, values, keys);
      for (const row of made)
        await context.audit(
          transaction,
          'channel.create',
          `channel:${row.id}`,
          undefined,
          auditedChannel(row),
        );
      return made;
    });
    await store.changes.announce('channels');
    dependencies.onNewAddress?.(rows);
    return channelViews(dependencies, rows);
  };
}

/** The longest name of a channel. */
const NAME_CHARACTERS = 100;

/** Channels of one batch are numbered, so that lists and logs tell them apart. */
function numbered(name: string, index: number, count: number): string {
  if (count === 1) return name;
  const suffix = `-${index + 1}`;
  return `${name.slice(0, NAME_CHARACTERS - suffix.length)}${suffix}`;
}

/** Rows with sealed keys and their abilities. */
export async function insertChannels(
  dependencies: Pick<ChannelDependencies, 'now'> & { store: Pick<ChannelDependencies['store'], 'vault'> },
  transaction: Transaction<Schema>,
  columns: NewRow<'channels'>,
  keys: readonly string[],
): Promise<Row<'channels'>[]> {
  const { vault } = dependencies.store;
  const created_time = columns.created_time ?? nowSeconds(dependencies);
  const rows: Row<'channels'>[] = [];
  for (const [index, key] of keys.entries()) {
    // The seal is bound to the id, so the row has to exist before its key can be sealed.
    const { id } = await transaction
      .insertInto('channels')
      .values({ ...columns, name: numbered(columns.name ?? '', index, keys.length), created_time })
      .returning('id')
      .executeTakeFirstOrThrow();
    rows.push(
      await transaction
        .updateTable('channels')
        .set(keyColumns(vault, id, key))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
  }
  await rebuildAbilities(transaction, rows);
  return rows;
}
