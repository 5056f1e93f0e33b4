// Changes several channels at once: status, tag, deletion and its undo. One transaction, one announcement.
import type { AuditAction } from '#contract/admin/audit.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import type { Transaction } from 'kysely';
import { refuseConflictOfMany } from '#server/admin/based-on.ts';
import { forUpdate } from '#server/platform/store/locks.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { repairAbilities } from '#server/relay/channel-choice/abilities.ts';
import {
  changeChannels,
  statusColumns,
  type ChannelColumns,
  type ChannelCondition,
} from '#server/relay/channel-choice/write.ts';
import type { ChannelDependencies } from './dependencies.ts';

/** How long a deletion can be undone. */
const RESTORE_SECONDS = 600;

export interface ChangeOfMany {
  /** Of the audit row. */
  action: AuditAction;
  columns: ChannelColumns;
  condition: ChannelCondition;
  /** Throws when these rows, which are locked, may not be changed. */
  check?: undefined | ((transaction: Transaction<Schema>, rows: readonly Row<'channels'>[]) => Promise<void>);
}

/** Writes the same columns to every matching channel and rebuilds their abilities; how many. */
export async function changeMany(
  { store }: ChannelDependencies,
  context: RequestContext,
  { action, columns, condition, check }: ChangeOfMany,
): Promise<number> {
  const rows = await store.db.transaction().execute(async (transaction) => {
    let chosen = condition;
    if (check !== undefined) {
      const before = await transaction
        .selectFrom('channels')
        .selectAll()
        .where(condition)
        .orderBy('id')
        .$call(forUpdate(store))
        .execute();
      if (before.length === 0) return before;
      await check(transaction, before);
      chosen = among(before.map(({ id }) => id));
    }
    const changed = await changeChannels(transaction, chosen, columns);
    if (changed.length === 0) return changed;
    const ids = changed.map((row) => row.id).toSorted((left, right) => left - right);
    await context.audit(transaction, action, targetOfMany(ids), undefined, { ids, ...columns });
    return changed;
  });
  if (rows.length > 0) await store.changes.announce('channels');
  return rows.length;
}

const targetOfMany = (ids: readonly (number | string)[]) => `channel:${ids.join(',').slice(0, 490)}` as const;

type BaseOfMany = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Refuses one value for several channels that another person changed meanwhile; undefined without a base. */
export function checkBaseOfMany(
  columns: ChannelColumns,
  base: BaseOfMany | undefined,
  /** The names of the request, where they are not those of the columns. */
  nameOf: Readonly<Partial<Record<keyof Row<'channels'>, string>>>,
): ChangeOfMany['check'] {
  if (base === undefined) return undefined;
  return async (transaction, rows) => {
    const names = Object.keys(columns) as (keyof ChannelColumns)[];
    const byField = <Value>(valueOf: (column: keyof ChannelColumns) => Value) =>
      Object.fromEntries(names.map((column) => [nameOf[column] ?? column, valueOf(column)]));
    const all = targetOfMany(rows.map(({ id }) => id));
    await refuseConflictOfMany(transaction, {
      fields: byField((column) => columns[column]),
      base,
      present: byField((column) => Object.fromEntries(rows.map((row) => [String(row.id), row[column]]))),
      targetsOf: (ids) => [...ids.map((id) => `channel:${id}`), all],
      auditedAs: Object.fromEntries(names.map((column) => [nameOf[column] ?? column, column])),
    });
  };
}

const among = (ids: readonly number[]): ChannelCondition => {
  return (builder) => builder.and([builder('id', 'in', ids), builder('deleted_at', 'is', null)]);
};

export function removeChannel(dependencies: ChannelDependencies): Handler<typeof channels.remove> {
  return async ({ params }, context) => {
    const columns = { deleted_at: nowSeconds(dependencies) };
    const count = await changeMany(dependencies, context, {
      action: 'channel.delete',
      columns,
      condition: among([params.id]),
    });
    if (count === 0) throw new AppError('channel_not_found');
    return null;
  };
}

export function removeChannels(dependencies: ChannelDependencies): Handler<typeof channels.removeMany> {
  return ({ body }, context) => {
    const columns = { deleted_at: nowSeconds(dependencies) };
    return changeMany(dependencies, context, {
      action: 'channel.delete',
      columns,
      condition: among(body.ids),
    });
  };
}

export function removeDisabledChannels(dependencies: ChannelDependencies) {
  return (_: unknown, context: RequestContext): Promise<number> => {
    const columns = { deleted_at: nowSeconds(dependencies) };
    const condition: ChannelCondition = (builder) =>
      builder.and([builder('status', '<>', CHANNEL_STATUS.enabled), builder('deleted_at', 'is', null)]);
    return changeMany(dependencies, context, { action: 'channel.delete_disabled', columns, condition });
  };
}

export function restoreChannels(dependencies: ChannelDependencies): Handler<typeof channels.restore> {
  return ({ body }, context) => {
    const since = nowSeconds(dependencies) - RESTORE_SECONDS;
    const condition: ChannelCondition = (builder) =>
      builder.and([builder('id', 'in', body.ids), builder('deleted_at', '>=', since)]);
    const columns = { deleted_at: null };
    return changeMany(dependencies, context, { action: 'channel.restore', columns, condition });
  };
}

export function setChannelStatus(dependencies: ChannelDependencies): Handler<typeof channels.setStatus> {
  return ({ body }, context) =>
    changeMany(dependencies, context, {
      action: 'channel.status',
      columns: statusColumns(body.status),
      condition: among(body.ids),
    });
}

export function tagChannels(dependencies: ChannelDependencies): Handler<typeof channels.tagMany> {
  return ({ body }, context) => {
    const columns = { tag: body.tag === '' ? null : body.tag };
    return changeMany(dependencies, context, {
      action: 'channel.tag',
      columns,
      condition: among(body.ids),
      check: checkBaseOfMany(columns, body.based_on, {}),
    });
  };
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
