// Channels that switched themselves off. One that an operator disabled is that operator's decision.
import { CHANNEL_STATUS, channelOtherInfo, type ChannelOtherInfo } from '#contract/relay/channel-fields.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { offeredModels } from '#server/platform/store/offered-models.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, type Found } from './found.ts';
import { refusedBecause, type RefusedCalls } from '#server/admin/refused-because.ts';

export async function checkChannels(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store } = dependencies;
  const off = await store.db
    .selectFrom('channels')
    .select(['id', 'name', 'other_info'])
    .where('status', '=', CHANNEL_STATUS.autoDisabled)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  if (off.length === 0) return [];
  const [offered, abilities] = await Promise.all([
    offeredModels(store),
    store.db
      .selectFrom('abilities')
      .select(['channel_id', 'group', 'model'])
      .where(
        'channel_id',
        'in',
        off.map(({ id }) => id),
      )
      .execute(),
  ]);
  const served = new Set(offered.map(({ group, model }) => `${group} ${model}`));
  const channels = off.map(({ other_info, ...channel }) => {
    const lost = abilities.filter(
      ({ channel_id, group, model }) => channel_id === channel.id && !served.has(`${group} ${model}`),
    );
    return {
      ...channel,
      info: channelOtherInfo(other_info),
      lost: [...new Set(lost.map(({ model }) => model))].sort(),
    };
  });
  // A model of several channels is gone since the first of them went off.
  const since = new Map<string, number>();
  for (const { lost, info } of channels)
    for (const model of lost) since.set(model, Math.min(since.get(model) ?? Infinity, info.status_time ?? 0));
  const refused = await refusedBecause(store, 'no_channel', since, nowSeconds(dependencies));
  return channels.map((channel) => itemOf(channel, refused(channel.lost)));
}

interface OffChannel {
  id: number;
  name: string;
  info: ChannelOtherInfo;
  /** Models that no other channel serves. */
  lost: readonly string[];
}

function itemOf({ id, name, info, lost }: OffChannel, { users, calls }: RefusedCalls): Found {
  const { status_reason = '', status_words = '', status_time = 0 } = info;
  return found(lost.length > 0 ? 'channel_only' : 'channel_off', {
    of: id,
    mark: String(status_time),
    since: status_time,
    subjects: [
      { kind: 'channel', id: String(id), name },
      ...lost.map((model) => ({ kind: 'model' as const, id: model, name: model })),
    ],
    count: 1,
    users,
    calls,
    values: {
      reason: status_reason,
      words: status_words,
      model: lost[0] ?? '',
      models: lost.length > 1 ? lost.length : 0,
      other_models: Math.max(0, lost.length - 1),
    },
    address: `/channel/${id}`,
  });
}
