// `abilities` has a row for each model and group of every channel that is not deleted. A channel's rows are rebuilt whenever a channel's models, groups, status, priority, weight or tag change.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { Kysely, Transaction } from 'kysely';
import type { NewRow, Row, Schema } from '#server/platform/store/schema.ts';

/** SQLite accepts 32,766 parameters per statement; a row has seven columns. */
const ROWS_PER_STATEMENT = 1000;

export function splitList(text: string): string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))].filter(Boolean);
}

export function abilitiesOf(channel: Row<'channels'>): NewRow<'abilities'>[] {
  const enabled = channel.status === CHANNEL_STATUS.enabled ? 1 : 0;
  return splitList(channel.group).flatMap((group) =>
    splitList(channel.models).map((model) => ({
      group,
      model,
      channel_id: channel.id,
      enabled,
      priority: channel.priority,
      weight: channel.weight,
      tag: channel.tag,
    })),
  );
}

/** Rebuilds the abilities of these channels; a deleted channel has none. */
export async function rebuildAbilities(
  db: Kysely<Schema>,
  channels: readonly Row<'channels'>[],
): Promise<void> {
  for (const part of parts(channels.map((channel) => channel.id))) {
    await db.deleteFrom('abilities').where('channel_id', 'in', part).execute();
  }
  const wanted = channels.filter((channel) => channel.deleted_at === null).flatMap(abilitiesOf);
  for (const part of parts(wanted)) await db.insertInto('abilities').values(part).execute();
}

/** Repairs abilities that are missing, superfluous or different from their channel; how many. */
export async function repairAbilities(transaction: Transaction<Schema>): Promise<number> {
  const channels = await transaction
    .selectFrom('channels')
    .selectAll()
    .where('deleted_at', 'is', null)
    .execute();
  const stored = await transaction.selectFrom('abilities').selectAll().execute();
  const wanted = new Set(channels.flatMap(abilitiesOf).map((ability) => JSON.stringify(signature(ability))));
  const found = new Set(stored.map((ability) => JSON.stringify(signature(ability))));
  const missing = [...wanted].filter((each) => !found.has(each)).length;
  const superfluous = [...found].filter((each) => !wanted.has(each)).length;
  if (missing + superfluous === 0) return 0;
  await transaction.deleteFrom('abilities').execute();
  await rebuildAbilities(transaction, channels);
  return Math.max(missing, superfluous);
}

function signature(ability: NewRow<'abilities'>): unknown[] {
  const { group, model, channel_id, enabled, priority, weight, tag } = ability;
  return [group, model, channel_id, enabled, priority, weight, tag];
}

function parts<Item>(items: readonly Item[]): Item[][] {
  const result: Item[][] = [];
  for (let start = 0; start < items.length; start += ROWS_PER_STATEMENT) {
    result.push(items.slice(start, start + ROWS_PER_STATEMENT));
  }
  return result;
}
