// Changes several channels at once: status, tag, deletion and its undo. One transaction, one announcement.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { RowChange, Schema } from '#server/platform/store/schema.ts';
import { rebuildAbilities, repairAbilities } from './abilities.ts';
import type { ChannelDependencies } from './dependencies.ts';

/** How long a deletion can be undone. */
const RESTORE_SECONDS = 600;

type Condition = (builder: ExpressionBuilder<Schema, 'channels'>) => Expression<SqlBool>;

/** Writes the same columns to every matching channel and rebuilds their abilities; how many. */
export async function changeMany(
  dependencies: ChannelDependencies,
  context: RequestContext,
  action: string,
  columns: RowChange<'channels'>,
  condition: Condition,
): Promise<number> {
  const rows = await dependencies.store.db.transaction().execute(async (transaction) => {
    const changed = await transaction
      .updateTable('channels')
      .set(columns)
      .where(condition)
      .returningAll()
      .execute();
    if (changed.length === 0) return changed;
    await rebuildAbilities(transaction, changed);
    const ids = changed.map((row) => row.id);
    const target = `channel:${ids.join(',')}`.slice(0, 500);
    await context.audit(transaction, action, target, undefined, { ids, ...columns });
    return changed;
  });
  if (rows.length > 0) await dependencies.store.changes.announce('channels');
  return rows.length;
}

const among = (ids: readonly number[]): Condition => {
  return (builder) => builder.and([builder('id', 'in', ids), builder('deleted_at', 'is', null)]);
};

export function removeChannel(dependencies: ChannelDependencies): Handler<typeof channels.remove> {
  return async ({ params }, context) => {
    const columns = { deleted_at: nowSeconds(dependencies) };
    const count = await changeMany(dependencies, context, 'channel.delete', columns, among([params.id]));
    if (count === 0) throw new AppError('channel_not_found');
    return null;
  };
}

export function removeChannels(dependencies: ChannelDependencies): Handler<typeof channels.removeMany> {
  return ({ body }, context) => {
    const columns = { deleted_at: nowSeconds(dependencies) };
    return changeMany(dependencies, context, 'channel.delete', columns, among(body.ids));
  };
}

export function removeDisabledChannels(dependencies: ChannelDependencies) {
  return (_: unknown, context: RequestContext): Promise<number> => {
    const columns = { deleted_at: nowSeconds(dependencies) };
    return changeMany(dependencies, context, 'channel.delete_disabled', columns, (builder) =>
      builder.and([builder('status', '<>', CHANNEL_STATUS.enabled), builder('deleted_at', 'is', null)]),
    );
  };
}

export function restoreChannels(dependencies: ChannelDependencies): Handler<typeof channels.restore> {
  return ({ body }, context) => {
    const since = nowSeconds(dependencies) - RESTORE_SECONDS;
    return changeMany(dependencies, context, 'channel.restore', { deleted_at: null }, (builder) =>
      builder.and([builder('id', 'in', body.ids), builder('deleted_at', '>=', since)]),
    );
  };
}

export function setChannelStatus(dependencies: ChannelDependencies): Handler<typeof channels.setStatus> {
  return ({ body }, context) =>
    changeMany(dependencies, context, 'channel.status', statusOfMany(body.status), among(body.ids));
}

/** Enabling by hand deletes the reason for which a channel had been disabled. */
export function statusOfMany(status: number): RowChange<'channels'> {
  return status === CHANNEL_STATUS.enabled ? { status, other_info: '' } : { status };
}

export function tagChannels(dependencies: ChannelDependencies): Handler<typeof channels.tagMany> {
  return ({ body }, context) =>
    changeMany(
      dependencies,
      context,
      'channel.tag',
      { tag: body.tag === '' ? null : body.tag },
      among(body.ids),
    );
}

export function fixChannels(dependencies: ChannelDependencies) {
  return async (_: unknown, context: RequestContext): Promise<number> => {
    const { db, changes } = dependencies.store;
    const repaired = await db.transaction().execute(async (transaction) => {
      const count = await repairAbilities(transaction);
      await context.audit(transaction, 'channel.fix', 'abilities', undefined, { repaired: count });
      return count;
    });
    if (repaired > 0) await changes.announce('channels');
    return repaired;
  };
}
