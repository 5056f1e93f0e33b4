// Channels that switched themselves off, and the models that nobody else serves. One that an operator disabled is that operator's
// decision.
import { CHANNEL_STATUS, channelOtherInfo, type ChannelOtherInfo } from '#contract/relay/channel-fields.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface OffChannel {
  id: number;
  name: string;
  info: ChannelOtherInfo;
  /** Models that no other channel serves in some group. */
  lost: readonly string[];
}

export interface OffChannels {
  channels: readonly OffChannel[];
  /** Models that some group still serves. */
  served: ReadonlySet<string>;
}

export async function offChannels(store: Store): Promise<OffChannels> {
  const off = await store.db
    .selectFrom('channels')
    .select(['id', 'name', 'other_info'])
    .where('status', '=', CHANNEL_STATUS.autoDisabled)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  if (off.length === 0) return { channels: [], served: new Set() };
  const ids = off.map(({ id }) => id);
  const [offered, abilities] = await Promise.all([
    readOfferedModels(store),
    store.db
      .selectFrom('abilities')
      .select(['channel_id', 'group', 'model'])
      .where('channel_id', 'in', ids)
      .execute(),
  ]);
  const pairs = new Set(offered.map(({ group, model }) => `${group} ${model}`));
  const channels = off.map(({ other_info, ...channel }) => {
    const lost = abilities.filter(
      ({ channel_id, group, model }) => channel_id === channel.id && !pairs.has(`${group} ${model}`),
    );
    return {
      ...channel,
      info: channelOtherInfo(other_info),
      lost: [...new Set(lost.map(({ model }) => model))].sort(),
    };
  });
  return { channels, served: new Set(offered.map(({ model }) => model)) };
}
