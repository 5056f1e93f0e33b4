// The rules of a model in its price: what is fixed for every call (tiers, minimum, fees), and what depends on when the call
// begins and which class it asks for. A call keeps the factors it began with.
import {
  hourRatio,
  type PriceRule,
  type PriceRules,
  type PriceTier,
  type RequestClass,
} from '#contract/money/price-rules.ts';

/** When a call begins, in milliseconds, and what class of service it asks for. */
export interface Moment {
  readonly at: number;
  readonly requestClass?: RequestClass | undefined;
  /** The usage will be the sum of several prompts (a batch, a realtime session), so that no tier applies to it. */
  readonly isSum?: boolean;
}

/** Part of a price snapshot; a model without rules has none of them. */
export interface RuleFactors {
  /** Of a batch: everything costs this part of the usual price. */
  batchRatio?: number;
  /** Of flex and priority. */
  classRatio?: number;
  hourRatio?: number;
  /** Of an answer that was kept: everything costs this part of what it would cost anew. */
  hitRatio?: number;
  /** By the prompt tokens that are charged; ascending. */
  tiers?: readonly PriceTier[];
  /** Dollars that a call which is not free costs at least. */
  minimum?: number;
  /** Dollars for each call, on top. */
  fee?: number;
  /** Dollars for each search. */
  search?: number;
}

/** The options of the same names. */
export interface RuleSettings {
  PriceRules?: PriceRules;
  BatchRatio?: number;
}

/** A fixed price does not depend on the prompt. */
export function fixedFactors(
  { tiers, minimum, fee, search }: PriceRule,
  kind: 'price' | 'ratio',
): RuleFactors {
  return {
    ...(kind === 'price' || tiers === undefined || tiers.length === 0 ? {} : { tiers }),
    ...(minimum === undefined || minimum === 0 ? {} : { minimum }),
    ...(fee === undefined || fee === 0 ? {} : { fee }),
    ...(search === undefined || search === 0 ? {} : { search }),
  };
}

export function momentFactors(
  rule: PriceRule | undefined,
  { BatchRatio = 1 }: RuleSettings,
  { at, requestClass }: Moment,
): RuleFactors {
  const hour = rule === undefined ? undefined : hourRatio(rule, at);
  const own = requestClass === undefined ? undefined : rule?.classes?.[requestClass];
  const isBatch = requestClass === 'batch';
  return {
    ...(isBatch ? { batchRatio: own ?? BatchRatio } : own === undefined ? {} : { classRatio: own }),
    ...(hour === undefined ? {} : { hourRatio: hour }),
  };
}

export function untiered<Snapshot extends RuleFactors>(
  price: Snapshot,
  { isSum, requestClass }: Moment,
): Snapshot {
  if (price.tiers === undefined || (isSum !== true && requestClass !== 'batch')) return price;
  const { tiers: _, ...rest } = price;
  return rest as Snapshot;
}

const MINUTE_MILLISECONDS = 60_000;

/** The price of a model whose rules depend on the moment. Equal factors share one snapshot, whose rates are compiled once. */
export class RuledPrice<Snapshot extends object> {
  readonly #plain: Snapshot;
  readonly #rule: PriceRule;
  readonly #settings: RuleSettings;
  readonly #variants = new Map<string, Snapshot & RuleFactors>();
  #minute = -1;
  #byClass = new Map<RequestClass | undefined, Snapshot & RuleFactors>();

  constructor(plain: Snapshot, rule: PriceRule, settings: RuleSettings) {
    this.#plain = plain;
    this.#rule = rule;
    this.#settings = settings;
  }

  at(moment: Moment): Snapshot & RuleFactors {
    // Hours begin and end with a minute.
    const minute = Math.floor(moment.at / MINUTE_MILLISECONDS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#byClass.clear();
    }
    let price = this.#byClass.get(moment.requestClass);
    if (price === undefined) {
      price = this.#variant(momentFactors(this.#rule, this.#settings, moment));
      this.#byClass.set(moment.requestClass, price);
    }
    return price;
  }

  #variant(factors: RuleFactors): Snapshot & RuleFactors {
    const key = JSON.stringify(factors);
    let price = this.#variants.get(key);
    if (price === undefined) this.#variants.set(key, (price = { ...this.#plain, ...factors }));
    return price;
  }
}
