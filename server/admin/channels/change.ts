// Changes any subset of a channel's fields. A new address needs the key again: otherwise an administrator could send the
// stored key to a server of their own.
import { channelChange } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Actor, Handler, RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { isMasked } from '#contract/masked.ts';
import { requireStepUp } from '#server/admin/accounts.ts';
import type { Transaction } from 'kysely';
import { lockRow } from '#server/platform/store/locks.ts';
import { keyColumns, openChannelKey } from '#server/relay/channel-choice/key.ts';
import {
  changeChannel as writeChannel,
  hasMoved,
  learnedColumns,
  statusColumns,
  type ChannelColumns,
} from '#server/relay/channel-choice/write.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { destinationOf } from './destination.ts';
import { channelColumns, checkType, keysOf } from './fields.ts';
import { requireSupplier } from './supplier.ts';
import { auditedChannel, oneChannelView } from './view.ts';

type Body = Input<typeof channels.change>['body'];

export function readChannel(dependencies: ChannelDependencies): Handler<typeof channels.read> {
  return async ({ params }) => oneChannelView(dependencies, await channelRow(dependencies, params.id));
}

export function changeChannel(dependencies: ChannelDependencies): Handler<typeof channels.change> {
  return async ({ body: sent }, context) => {
    const before = await channelRow(dependencies, sent.id);
    const body = { ...editedFields(channelChange, sent), id: sent.id };
    const columns: ChannelColumns = {
      ...channelColumns(body),
      ...(body.status === undefined || body.status === before.status ? {} : statusColumns(body.status)),
      ...newKey(dependencies, before, body, context),
    };
    const after = { ...before, ...columns };
    const isMoved = hasMoved(before, after);
    if (isMoved) await checkType(dependencies, after, context.language);
    Object.assign(columns, learnedColumns(before, after));
    if (Object.keys(columns).length === 0) return oneChannelView(dependencies, before);
    const target = `channel:${body.id}` as const;
    const row = await dependencies.store.db.transaction().execute(async (transaction) => {
      const present = presentFields(await lockChannel(dependencies, transaction, body.id));
      const auditedAs = { groups: 'group', key: 'key_hint' };
      await refuseConflict(transaction, { fields: channelChange, body: sent, present, target, auditedAs });
      await requireSupplier(transaction, columns.supplier_id);
      return await saveChannel(context, transaction, before, columns);
    });
    await dependencies.store.changes.announce('channels', String(row.id));
    if (isMoved) dependencies.onNewAddress?.([row]);
    return oneChannelView(dependencies, row);
  };
}

/** Writes the columns and the audit row of their change. */
export async function saveChannel(
  actor: Actor,
  transaction: Transaction<Schema>,
  before: Row<'channels'>,
  columns: ChannelColumns,
  action: 'channel.change' | 'channel.delete' = 'channel.change',
): Promise<Row<'channels'>> {
  const row = await writeChannel(transaction, before.id, columns);
  if (!row) throw new AppError('channel_not_found');
  const audited = [auditedChannel(before), auditedChannel(row)] as const;
  await actor.audit(transaction, action, `channel:${row.id}`, ...audited);
  return row;
}

/** By the names of the request. The key is compared by its last characters, which administrators see. */
function presentFields(row: Row<'channels'>): Record<string, unknown> {
  return { ...row, groups: row.group, key: row.key_hint };
}

/** A new destination of a stored key needs the key, and a step-up: calls of users will go there. */
function newKey(
  dependencies: ChannelDependencies,
  row: Row<'channels'>,
  body: Body,
  context: RequestContext,
): ChannelColumns {
  const { type = row.type, base_url = row.base_url, other = row.other, setting = row.setting } = body;
  const movesKey =
    destinationOf({ type, base_url, other, setting }) !== destinationOf(row) &&
    openChannelKey(dependencies.store.vault, row) !== '';
  const given = body.key === undefined || isMasked(body.key) ? '' : body.key;
  const [key, ...more] = given ? keysOf(dependencies, body.type ?? row.type, given) : [];
  if (key === undefined) {
    if (movesKey) throw new AppError('channel_key_needed_for_address', {}, { field: 'key' });
    return {};
  }
  if (movesKey) requireStepUp(context);
  return keyColumns(dependencies.store.vault, row.id, [key, ...more].join('\n'));
}

async function lockChannel(
  { store }: ChannelDependencies,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Row<'channels'>> {
  const row = await lockRow(store, transaction, 'channels', id);
  if (row === undefined || row.deleted_at !== null) throw new AppError('channel_not_found');
  return row;
}

export async function channelRow(dependencies: ChannelDependencies, id: number): Promise<Row<'channels'>> {
  const row = await dependencies.store.db
    .selectFrom('channels')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw new AppError('channel_not_found');
  return row;
}
