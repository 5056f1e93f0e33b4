// The price list for one caller, without models and groups this caller cannot use.
import type { Caller, RequestContext } from '#server/admin/context.ts';
import { groupDescription } from '#contract/admin/group-descriptions.ts';
import type { Language, Text } from '#contract/language.ts';
import { QUOTA_TYPE, type PricingEntry } from '#contract/money/pricing.ts';
import type { Settings } from '#contract/settings.ts';
import { builtInPrice, listPosition, type ModelKind } from '#server/money/prices/price-list/index.ts';
import type { PriceRefusal, PriceSettings, PriceSnapshot } from '#server/money/prices/price.ts';
import { formatOfModel } from '#server/models/providers/model-kind.ts';
import type { Format } from '#server/models/providers/provider.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Offers } from './offers.ts';

export interface PricingDependencies {
  store: Store;
  settings: { readonly current: PriceSettings & Pick<Settings, 'UserUsableGroups'> };
  /** What the relay would charge a call by, or why it would refuse it. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
}

const VISITOR_GROUP = 'default';
const OWN_GROUP: Text = { zh: '用户分组', en: 'user group' };

const PATHS: Record<ModelKind, readonly string[]> = {
  chat: ['/v1/chat/completions', '/v1/responses'],
  responses: ['/v1/responses'],
  completion: ['/v1/completions'],
  realtime: ['/v1/realtime'],
  embedding: ['/v1/embeddings'],
  rerank: ['/v1/rerank'],
  moderation: ['/v1/moderations'],
  image: ['/v1/images/generations'],
  speech: ['/v1/audio/speech'],
  transcription: ['/v1/audio/transcriptions'],
  task: [],
  video: ['/v1/videos'],
};

/** Of a model that is not in the built-in list, by what its name says. */
const PATHS_BY_NAME: Partial<Record<Format, readonly string[]>> = {
  midjourney: PATHS.task,
  suno: PATHS.task,
  video: PATHS.video,
  'openai-rerank': PATHS.rerank,
  'openai-embeddings': PATHS.embedding,
  'openai-images': PATHS.image,
  'openai-transcriptions': PATHS.transcription,
  'openai-speech': PATHS.speech,
  'openai-realtime': PATHS.realtime,
  'openai-moderations': PATHS.moderation,
};

export function listPrices({ settings, priceOf }: PricingDependencies, offers: () => Promise<Offers>) {
  return async (_: unknown, { user, language }: RequestContext) => {
    const { current } = settings;
    const usable = usableGroups(current, user, language);
    const groups = Object.keys(usable);
    const data: PricingEntry[] = [];
    for (const [model, offered] of await offers()) {
      const entry = entryOf(
        priceOf,
        model,
        groups.filter((group) => offered.has(group)),
      );
      if (entry) data.push(entry);
    }
    data.sort(byFamily);
    const ratios = groups.map((group) => [group, current.GroupRatio[group] ?? 1] as const);
    return { data, group_ratio: Object.fromEntries(ratios), usable_group: usable };
  };
}

/** The groups open to users and the caller's own, without groups that have no ratio: those cannot be called. */
export function usableGroups(
  settings: PricingDependencies['settings']['current'],
  user: Caller | null,
  language: Language,
): Record<string, string> {
  const own = user?.group ?? VISITOR_GROUP;
  const all = { [own]: OWN_GROUP[language], ...settings.UserUsableGroups };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([group]) => Object.hasOwn(settings.GroupRatio, group))
      .map(([group, description]) => [group, groupDescription(description, language)]),
  );
}

/** The paths that serve a model. */
export function pathsOf(model: string): readonly string[] {
  const known = builtInPrice(model);
  return known ? PATHS[known.kind] : (PATHS_BY_NAME[formatOfModel(model)] ?? PATHS.chat);
}

/** Undefined for a model without a price or without a usable group: the relay would refuse it. */
function entryOf(
  priceOf: PricingDependencies['priceOf'],
  model: string,
  groups: readonly string[],
): PricingEntry | undefined {
  const [first] = groups;
  if (first === undefined) return undefined;
  const price = priceOf(model, first);
  if (typeof price === 'string') return undefined;
  const known = builtInPrice(model);
  const isFixed = price.kind === 'price';
  return {
    model_name: model,
    quota_type: isFixed ? QUOTA_TYPE.call : QUOTA_TYPE.usage,
    model_ratio: isFixed ? 0 : price.modelRatio,
    completion_ratio: isFixed ? 0 : price.completionRatio,
    cache_ratio: isFixed ? 0 : price.cacheRatio,
    model_price: isFixed ? price.modelPrice : 0,
    price_unit: (isFixed ? price.unit : undefined) ?? 'call',
    resolution_prices: (isFixed ? price.resolutionPrices : undefined) ?? {},
    enable_groups: [...groups],
    owner_by: known?.vendor ?? '',
    kind: known?.kind ?? '',
    context: known?.context ?? 0,
    endpoints: [...pathsOf(model)],
    list_position: listPosition(model),
  };
}

/** gpt models first, then by name, as in compatible gateways. */
function byFamily(left: PricingEntry, right: PricingEntry): number {
  const rank = ({ model_name }: PricingEntry) => (model_name.startsWith('gpt') ? 0 : 1);
  return rank(left) - rank(right) || (left.model_name < right.model_name ? -1 : 1);
}
