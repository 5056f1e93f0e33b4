// Prices of another gateway of this family: its price list, or its ratio options.
import type { ListedPrice } from './listed-price.ts';
import { amount, isObject, present, scaled, type Loose } from '#contract/listed-values.ts';
import { DOLLARS_PER_MILLION } from './pricing.ts';

export function gatewayPrice(entry: Loose): ListedPrice[] {
  const { model_name: model } = entry;
  if (typeof model !== 'string') return [];
  if (entry['quota_type'] === 1) {
    const price = amount(entry['model_price']);
    return [{ model, ...(entry['price_unit'] === 'second' ? { perSecond: price } : { perCall: price }) }];
  }
  return [ratioPrice(model, entry)];
}

/** Ratio 1 is two dollars per million tokens there too. */
function ratioPrice(model: string, ratios: Loose): ListedPrice {
  const input = scaled(ratios['model_ratio'], DOLLARS_PER_MILLION);
  const of = (ratio: unknown) => (input === undefined ? undefined : scaled(ratio, input));
  return present({
    model,
    input,
    output: of(ratios['completion_ratio']),
    cacheRead: of(ratios['cache_ratio']),
    cacheWrite5m: of(ratios['create_cache_ratio']),
    audioIn: of(ratios['audio_ratio']),
    image: of(ratios['image_ratio']),
  });
}

/** The ratio options of a gateway: `model_ratio`, or the option's own name. */
export function ratioConfig(config: Loose): ListedPrice[] {
  const map = (...names: string[]): Loose => {
    const found = names.map((name) => config[name]).find(isObject);
    return found ?? {};
  };
  const ratio = map('model_ratio', 'ModelRatio');
  const price = map('model_price', 'ModelPrice');
  const classes = {
    completion_ratio: map('completion_ratio', 'CompletionRatio'),
    cache_ratio: map('cache_ratio', 'CacheRatio'),
    create_cache_ratio: map('create_cache_ratio', 'CreateCacheRatio'),
    audio_ratio: map('audio_ratio', 'AudioRatio'),
    image_ratio: map('image_ratio', 'ImageRatio'),
  };
  const fixed = Object.entries(price).map(([model, value]) => present({ model, perCall: amount(value) }));
  const byUsage = Object.entries(ratio).map(([model, value]) => {
    const own = Object.entries(classes).map(([name, values]) => [name, values[model]]);
    return ratioPrice(model, { model_ratio: value, ...Object.fromEntries(own) });
  });
  return [...fixed, ...byUsage] as ListedPrice[];
}
