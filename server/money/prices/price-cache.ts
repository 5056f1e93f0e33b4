// The prices of one settings snapshot, remembered by group and model.
import {
  resolvePrice,
  ruleOfModel,
  type PriceLookup,
  type PriceRefusal,
  type PriceSettings,
  type PriceSnapshot,
} from './price.ts';
import { momentFactors, RuledPrice, untiered, type Moment } from './price-rules.ts';

export interface PriceCache {
  /** `moment`: now, and no class, when left out. */
  resolve(model: string, group: string, moment?: Moment): PriceSnapshot | PriceRefusal;
}

/** One book per settings snapshot; answers are remembered, so the hot path is two lookups. */
export function createPriceCache(settings: PriceSettings, listPrice: PriceLookup): PriceCache {
  const known = new Map<string, Map<string, PriceSnapshot | PriceRefusal | RuledPrice<PriceSnapshot>>>();
  let size = 0;
  function remember(model: string, group: string) {
    const answer = priceToKeep(settings, listPrice, model, group);
    // Callers choose model names: without a bound a stranger could grow this map for ever.
    if (size >= 10_000) {
      known.clear();
      size = 0;
    }
    let ofGroup = known.get(group);
    if (ofGroup === undefined) known.set(group, (ofGroup = new Map()));
    ofGroup.set(model, answer);
    size += 1;
    return answer;
  }
  return {
    resolve(model, group, moment) {
      const answer = known.get(group)?.get(model) ?? remember(model, group);
      if (typeof answer === 'string') return answer;
      const price = answer instanceof RuledPrice ? answer.at(moment ?? { at: Date.now() }) : answer;
      if (moment === undefined) return price;
      const isPlainBatch = moment.requestClass === 'batch' && price === answer;
      return untiered(
        isPlainBatch ? { ...price, ...momentFactors(undefined, settings, moment) } : price,
        moment,
      );
    },
  };
}

function priceToKeep(settings: PriceSettings, listPrice: PriceLookup, model: string, group: string) {
  const price = resolvePrice(settings, listPrice, model, group);
  const rule = ruleOfModel(settings, model);
  if (typeof price === 'string' || rule === undefined) return price;
  const dependsOnMoment = rule.hours !== undefined || rule.classes !== undefined;
  return dependsOnMoment ? new RuledPrice(price, rule, settings) : price;
}
