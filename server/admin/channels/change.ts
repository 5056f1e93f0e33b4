// Changes any subset of a channel's fields. A new address needs the key again: otherwise an administrator could send the
// stored key to a server of their own.
import { CHANNEL_STATUS, channelChange } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import { editedFields, refuseConflict } from '#server/admin/based-on.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { isMasked } from '#contract/masked.ts';
import { requireStepUp } from '#server/admin/accounts.ts';
import type { Transaction } from 'kysely';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import { rebuildAbilities } from './abilities.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { destinationOf } from './destination.ts';
import { channelColumns, checkType, keysOf } from './fields.ts';
import { keyColumns, openChannelKey } from './key.ts';
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
    const columns: RowChange<'channels'> = {
      ...channelColumns(body),
      ...statusColumns(before, body.status),
      ...newKey(dependencies, before, body, context),
    };
    const after = { ...before, ...columns };
    const isMoved =
      after.type !== before.type || after.base_url !== before.base_url || after.other !== before.other;
    if (isMoved) {
      await checkType(dependencies, after, context.language);
      columns.refused_formats = '';
      columns.lessons = '';
    }
    if (Object.keys(columns).length === 0) return oneChannelView(dependencies, before);
    const target = `channel:${body.id}`;
    const row = await dependencies.store.db.transaction().execute(async (transaction) => {
      const present = presentFields(await lockedChannel(dependencies, transaction, body.id));
      const auditedAs = { groups: 'group', key: 'key_hint' };
      await refuseConflict(transaction, { fields: channelChange, body: sent, present, target, auditedAs });
      await requireSupplier(transaction, columns.supplier_id);
      const changed = await transaction
        .updateTable('channels')
        .set(columns)
        .where('id', '=', body.id)
        .where('deleted_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!changed) throw new AppError('channel_not_found');
      await rebuildAbilities(transaction, [changed]);
      const shown = auditedChannel(changed);
      await context.audit(transaction, 'channel.change', target, auditedChannel(before), shown);
      return changed;
    });
    await dependencies.store.changes.announce('channels', String(row.id));
    if (isMoved) dependencies.onNewAddress?.([row]);
    return oneChannelView(dependencies, row);
  };
}

/** By the names of the request. The key is compared by its last characters, which administrators see. */
function presentFields(row: Row<'channels'>): Record<string, unknown> {
  return { ...row, groups: row.group, key: row.key_hint };
}

/** Enabling by hand deletes the reason for which the channel had been disabled. */
export function statusColumns(row: Row<'channels'>, status: number | undefined): RowChange<'channels'> {
  if (status === undefined || status === row.status) return {};
  return status === CHANNEL_STATUS.enabled ? { status, other_info: '' } : { status };
}

/** A new destination of a stored key needs the key, and a step-up: calls of users will go there. */
function newKey(
  dependencies: ChannelDependencies,
  row: Row<'channels'>,
  body: Body,
  context: RequestContext,
): RowChange<'channels'> {
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

async function lockedChannel(
  { store }: ChannelDependencies,
  transaction: Transaction<Schema>,
  id: number,
): Promise<Row<'channels'>> {
  const row = await transaction
    .selectFrom('channels')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(store.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new AppError('channel_not_found');
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
