// Channels that switched themselves off. One that an operator disabled is that operator's decision.
import { CHANNEL_STATUS, channelOtherInfo } from '#contract/relay/channel-fields.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { offeredModels } from '#server/platform/store/offered-models.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, type Found } from './found.ts';
import { refusedFor } from './refused.ts';

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
  const items: Found[] = [];
  for (const channel of off) {
    const lost = abilities.filter(
      ({ channel_id, group, model }) => channel_id === channel.id && !served.has(`${group} ${model}`),
    );
    items.push(await itemOf(dependencies, channel, [...new Set(lost.map(({ model }) => model))].sort()));
  }
  return items;
}

async function itemOf(
  dependencies: AttentionDependencies,
  { id, name, other_info }: { id: number; name: string; other_info: string },
  lost: readonly string[],
): Promise<Found> {
  const { status_reason = '', status_words = '', status_time = 0 } = channelOtherInfo(other_info);
  const refused = await refusedFor(
    dependencies.store,
    'no_channel',
    lost,
    status_time,
    nowSeconds(dependencies),
  );
  return found(lost.length > 0 ? 'channel_only' : 'channel_off', {
    of: id,
    mark: String(status_time),
    since: status_time,
    subjects: [
      { kind: 'channel', id: String(id), name },
      ...lost.map((model) => ({ kind: 'model' as const, id: model, name: model })),
    ],
    count: 1,
    users: refused.users.size,
    calls: refused.calls,
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
