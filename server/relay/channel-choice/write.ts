// The one place that writes `channels`, for the console, the configuration file, imports, tests of channels and the relay. Only
// `used_quota` is the ledger's. A channel's abilities follow its row, in the same transaction. Announce `channels` after the commit.
import type { Expression, ExpressionBuilder, Kysely, SqlBool, Transaction } from 'kysely';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { unixSeconds } from '#contract/time.ts';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { NewRow, Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { rebuildAbilities } from './abilities.ts';
import { keyColumns } from './key.ts';

export type ChannelColumns = Omit<RowChange<'channels'>, 'used_quota'>;
export type ChannelCondition = (builder: ExpressionBuilder<Schema, 'channels'>) => Expression<SqlBool>;

const ABILITY_COLUMNS = ['models', 'group', 'status', 'priority', 'weight', 'tag', 'deleted_at'] as const;

/** Writes the same columns to every matching channel; their rows. Give a transaction for columns that abilities have too. */
export async function changeChannels(
  db: Kysely<Schema>,
  condition: ChannelCondition,
  columns: ChannelColumns,
): Promise<Row<'channels'>[]> {
  const rows = await db.updateTable('channels').set(columns).where(condition).returningAll().execute();
  if (ABILITY_COLUMNS.some((name) => name in columns)) await rebuildAbilities(db, rows);
  return rows;
}

/** As `changeChannels`, for one row; undefined when it is deleted or does not meet the condition. */
export async function changeChannel(
  db: Kysely<Schema>,
  id: number,
  columns: ChannelColumns,
  condition?: Partial<Row<'channels'>>,
): Promise<Row<'channels'> | undefined> {
  const [row] = await changeChannels(
    db,
    (builder) => builder.and({ id, ...condition }).and('deleted_at', 'is', null),
    columns,
  );
  return row;
}

/** Disables an enabled channel and raises the notice: a change that an administrator made meanwhile stays. Announces it. */
export async function disableChannel(
  store: Store,
  id: number,
  { reason, words = '', at }: { reason: string; words?: string; at: number },
): Promise<void> {
  const info = { status_reason: reason, status_time: at, ...(words === '' ? {} : { status_words: words }) };
  const columns = { status: CHANNEL_STATUS.autoDisabled, other_info: JSON.stringify(info) };
  const isDisabled = await store.db.transaction().execute(async (transaction) => {
    const row = await changeChannel(transaction, id, columns, { status: CHANNEL_STATUS.enabled });
    if (!row) return false;
    const why = words === '' ? reason : `${reason}: ${words}`;
    const values = { channel_id: id, channel_name: row.name, reason: why };
    await raiseNotice(transaction, { event: 'channel_disabled', values });
    return true;
  });
  if (isDisabled) await store.changes.announce('channels', String(id));
}

/** Enabling deletes the reason for which a channel had been disabled. */
export const statusColumns = (status: number): ChannelColumns =>
  status === CHANNEL_STATUS.enabled ? { status, other_info: '' } : { status };

type Address = Pick<Row<'channels'>, 'type' | 'base_url' | 'other'>;

/** What was learned of the old address does not hold for a new one. */
export const learnedColumns = (before: Address, after: Partial<Address>): ChannelColumns =>
  hasMoved(before, after) ? { refused_formats: '', lessons: '' } : {};

export const hasMoved = (before: Address, after: Partial<Address>): boolean =>
  (['type', 'base_url', 'other'] as const).some((name) => after[name] !== before[name]);

/** The longest name of a channel. */
const NAME_CHARACTERS = 100;

/** Channels of one batch are numbered, so that lists and logs tell them apart. */
function numbered(name: string, index: number, count: number): string {
  if (count === 1) return name;
  const suffix = `-${index + 1}`;
  return `${name.slice(0, NAME_CHARACTERS - suffix.length)}${suffix}`;
}

/** One channel per key, with sealed keys and their abilities. */
export async function insertChannels(
  { vault }: { vault: Vault },
  transaction: Transaction<Schema>,
  columns: NewRow<'channels'>,
  keys: readonly string[],
): Promise<Row<'channels'>[]> {
  const created_time = columns.created_time ?? unixSeconds();
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
