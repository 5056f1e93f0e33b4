// The models whose state visitors may read: those that a visitor's group offers, also while every channel of one has switched itself
// off. A model whose channels an operator disabled is not offered.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { Settings } from '#contract/settings.ts';
import { builtInPrice, listPosition } from '#server/money/prices/price-list/index.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';

const VISITOR_GROUP = 'default';

export interface StatusModel {
  name: string;
  family: string;
}

export interface PublicModelParts {
  store: Store;
  settings: { readonly current: Pick<Settings, 'UserUsableGroups' | 'GroupRatio'> };
  /** What the relay would charge a call by, or why it would refuse it. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
}

export async function publicModels({ store, settings, priceOf }: PublicModelParts): Promise<StatusModel[]> {
  const { UserUsableGroups, GroupRatio } = settings.current;
  const groups = new Set(
    [VISITOR_GROUP, ...Object.keys(UserUsableGroups)].filter((group) => Object.hasOwn(GroupRatio, group)),
  );
  const rows = await store.db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select(['abilities.model', 'abilities.group'])
    .distinct()
    .where('channels.status', 'in', [CHANNEL_STATUS.enabled, CHANNEL_STATUS.autoDisabled])
    .where('channels.deleted_at', 'is', null)
    .execute();
  const names = new Set(
    rows
      .filter(({ model, group }) => groups.has(group) && typeof priceOf(model, group) !== 'string')
      .map(({ model }) => model),
  );
  return [...names]
    .map((name) => ({ name, family: builtInPrice(name)?.vendor ?? '' }))
    .sort((left, right) => placeOf(left.name) - placeOf(right.name) || (left.name < right.name ? -1 : 1));
}

/** Models that the list does not know are last, by name. */
function placeOf(model: string): number {
  const position = listPosition(model);
  return position < 0 ? Number.MAX_SAFE_INTEGER : position;
}
