// The models a price can be set for: those of channels and those the operator has priced, each with its built-in price and
// its usage of the last 30 days.
import type { PricedModel } from '#contract/options.ts';
import type { Settings } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';
import { sql } from 'kysely';
import type { SettingsDependencies } from './dependencies.ts';

const RECENT_SECONDS = 30 * 86_400;
const CHANNEL_ENABLED = 1;
/** A group with ratio 1, to get the model's own price. */
const PLAIN_GROUP = 'plain';

export function listModels({ store, settings }: SettingsDependencies) {
  return async (): Promise<PricedModel[]> => {
    const { current } = settings;
    const [offered, recent] = await Promise.all([readOfferedModels(store), recentUsage(store)]);
    const names = new Set([
      ...offered,
      ...Object.keys(current.ModelPrice),
      ...Object.keys(current.ModelRatio),
      ...Object.keys(current.CompletionRatio),
    ]);
    return [...names].sort().map((model) => {
      const usage = recent.get(model);
      return {
        model,
        vendor: builtInPrice(model)?.vendor ?? '',
        offered: offered.has(model),
        ...pricesOf(current, model),
        recent_calls: usage?.count ?? 0,
        recent_prompt_tokens: usage?.prompt_tokens ?? 0,
        recent_completion_tokens: usage?.completion_tokens ?? 0,
        recent_quota: usage?.quota ?? 0,
      };
    });
  };
}

function pricesOf(current: Settings, model: string) {
  const groups = { GroupRatio: { [PLAIN_GROUP]: 1 }, SelfUseModeEnabled: false };
  const operator = resolvePrice({ ...current, ...groups }, builtInPrice, model, PLAIN_GROUP);
  const none = { ModelPrice: {}, PriceUnit: {}, ResolutionPrice: {}, ModelRatio: {}, CompletionRatio: {} };
  const untouched = { ...current, ...groups, ...none };
  const list = resolvePrice(untouched, builtInPrice, model, PLAIN_GROUP);
  return {
    unpriced: typeof operator === 'string',
    ...(typeof list === 'string'
      ? {}
      : list.kind === 'price'
        ? {
            list_price: list.modelPrice,
            list_unit: list.unit,
            list_resolutions: list.resolutionPrices,
          }
        : { list_ratio: list.modelRatio, list_completion_ratio: list.completionRatio }),
  };
}

async function readOfferedModels(store: Store): Promise<Set<string>> {
  const rows = await store.db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select('abilities.model')
    .distinct()
    .where('abilities.enabled', '=', 1)
    .where('channels.status', '=', CHANNEL_ENABLED)
    .where('channels.deleted_at', 'is', null)
    .execute();
  return new Set(rows.map(({ model }) => model));
}

const total = (column: string) => sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;

async function recentUsage(store: Store) {
  const rows = await store.db
    .selectFrom('usage_hours')
    .select([
      'model_name',
      total('count').as('count'),
      total('prompt_tokens').as('prompt_tokens'),
      total('completion_tokens').as('completion_tokens'),
      total('quota').as('quota'),
    ])
    .where('hour', '>=', unixSeconds() - RECENT_SECONDS)
    .groupBy('model_name')
    .execute();
  return new Map(rows.map((row) => [row.model_name, row]));
}
