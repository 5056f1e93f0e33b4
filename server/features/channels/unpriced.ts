// Models that enabled channels offer and that have no price: the relay refuses their calls.
import { builtInPrice } from '#server/billing/price-list/index.ts';
import { resolvePrice } from '#server/billing/price.ts';
import type { ChannelDependencies } from './dependencies.ts';

const CHANNEL_ENABLED = 1;

export function unpricedModels({ store, settings }: ChannelDependencies) {
  return async (): Promise<string[]> => {
    const rows = await store.db
      .selectFrom('abilities')
      .innerJoin('channels', 'channels.id', 'abilities.channel_id')
      .select(['abilities.model', 'abilities.group'])
      .distinct()
      .where('abilities.enabled', '=', 1)
      .where('channels.status', '=', CHANNEL_ENABLED)
      .where('channels.deleted_at', 'is', null)
      .execute();
    const { current } = settings;
    const unpriced = rows.filter(
      ({ model, group }) => resolvePrice(current, builtInPrice, model, group) === 'no_price',
    );
    return [...new Set(unpriced.map(({ model }) => model))].sort();
  };
}
