// Which price a call pays: the operator's fixed price, else the operator's ratio, else the built-in list, else none.
// The answer is a plain JSON snapshot that travels with the hold and the log row; nothing is looked up twice.
import { ruleOf, type PriceRule } from '#contract/money/price-rules.ts';
import { piecePriceAt } from '#contract/money/pricing.ts';
import { decimalOf, divideDecimals, multiply, numberOf } from '#contract/money/decimal.ts';
import { MAXIMUM_RATIO } from '#server/money/quota-units.ts';
import {
  fixedFactors,
  momentFactors,
  untiered,
  type Moment,
  type RuleFactors,
  type RuleSettings,
} from './price-rules.ts';

export const SNAPSHOT_VERSION = 1;

/** Ratio 1 = 2 dollars per million tokens. */
const DOLLARS_PER_MILLION_AT_RATIO_ONE = 2;
/** What a self-use gateway charges for a model without a price. */
const UNKNOWN_MODEL_RATIO = 37.5;

interface SnapshotBase extends RuleFactors {
  version: number;
  model: string;
  group: string;
  groupRatio: number;
  quotaPerUnit: number;
  /** The version of the price options it was made from. */
  priceVersion?: number;
  /** Where the number came from, for the log row and the pricing page. */
  source: 'operator' | 'list' | 'unknown';
}

export interface FixedPriceSnapshot extends SnapshotBase {
  kind: 'price';
  /** Dollars per call, or per second. */
  modelPrice: number;
  /** A call by default. */
  unit?: 'second';
  /** Dollars instead of `modelPrice`, by the resolution of a video. */
  resolutionPrices?: Ratios;
}

/** All ratios but `modelRatio` are relative to it; `audioCompletionRatio` is relative to `audioRatio`. */
export interface RatioSnapshot extends SnapshotBase {
  kind: 'ratio';
  modelRatio: number;
  completionRatio: number;
  cacheRatio: number;
  cacheWriteRatio: number;
  cacheWrite1hRatio: number;
  imageRatio: number;
  audioRatio: number;
  audioCompletionRatio: number;
  reasoningRatio: number;
}

export type PriceSnapshot = FixedPriceSnapshot | RatioSnapshot;

type Ratios = Readonly<Record<string, number>>;

export type PriceUnit = 'call' | 'second';

/** The options of the same names. */
export interface PriceSettings extends RuleSettings {
  /** Which version these are; undefined where it does not matter. */
  priceVersion?: number;
  QuotaPerUnit: number;
  SelfUseModeEnabled: boolean;
  GroupRatio: Ratios;
  ModelPrice: Ratios;
  PriceUnit: Readonly<Record<string, PriceUnit>>;
  ResolutionPrice: Readonly<Record<string, Ratios>>;
  ModelRatio: Ratios;
  CompletionRatio: Ratios;
  CacheRatio: Ratios;
  CreateCacheRatio: Ratios;
  CreateCache1hRatio: Ratios;
  ImageRatio: Ratios;
  AudioRatio: Ratios;
  AudioCompletionRatio: Ratios;
  ReasoningRatio: Ratios;
}

/** No price of any model and no group. */
export const noPrices: PriceSettings = {
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
  GroupRatio: {},
  ModelPrice: {},
  PriceUnit: {},
  ResolutionPrice: {},
  ModelRatio: {},
  CompletionRatio: {},
  CacheRatio: {},
  CreateCacheRatio: {},
  CreateCache1hRatio: {},
  ImageRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
  ReasoningRatio: {},
};

/** What the price list knows of a model: dollars per million tokens by class, or dollars per call. */
export interface ListPrice {
  input?: number | undefined;
  output?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite5m?: number | undefined;
  cacheWrite1h?: number | undefined;
  image?: number | undefined;
  audioIn?: number | undefined;
  audioOut?: number | undefined;
  reasoning?: number | undefined;
  perCall?: number | undefined;
  perSecond?: number | undefined;
  /** Dollars instead of `perCall` or `perSecond`. */
  resolutions?: Ratios | undefined;
}

export type PriceLookup = (model: string) => ListPrice | undefined;

export type PriceRefusal = 'no_price' | 'no_group';

/** Without a moment: the price as it is outside of special hours and classes. */
export function resolvePrice(
  settings: PriceSettings,
  listPrice: PriceLookup,
  model: string,
  group: string,
  moment?: Moment,
): PriceSnapshot | PriceRefusal {
  const price = plainPrice(settings, listPrice, model, group);
  if (typeof price === 'string') return price;
  const rule = ruleOfModel(settings, model);
  if (rule === undefined && moment?.requestClass !== 'batch') return price;
  const ruled = { ...price, ...(rule === undefined ? {} : fixedFactors(rule, price.kind)) };
  if (moment === undefined) return ruled;
  return untiered({ ...ruled, ...momentFactors(rule, settings, moment) }, moment);
}

function plainPrice(
  settings: PriceSettings,
  listPrice: PriceLookup,
  model: string,
  group: string,
): PriceSnapshot | PriceRefusal {
  const groupRatio = own(settings.GroupRatio, group);
  if (groupRatio === undefined) return 'no_group';
  const name = priceName(model);
  const list = listPrice(name) ?? {};
  const { priceVersion } = settings;
  const base = {
    version: SNAPSHOT_VERSION,
    model,
    group,
    groupRatio,
    quotaPerUnit: settings.QuotaPerUnit,
    ...(priceVersion === undefined ? {} : { priceVersion }),
  };

  const operatorPrice = own(settings.ModelPrice, name);
  if (operatorPrice !== undefined)
    return {
      ...base,
      kind: 'price',
      source: 'operator',
      modelPrice: operatorPrice,
      ...pieceOf(settings, list, name, {}),
    };
  const operatorRatio = own(settings.ModelRatio, name);
  if (operatorRatio !== undefined) {
    return {
      ...base,
      kind: 'ratio',
      source: 'operator',
      modelRatio: operatorRatio,
      ...classRatios(settings, list, name),
    };
  }
  const listed = list.perSecond ?? list.perCall;
  if (listed !== undefined) {
    const piece = pieceOf(settings, list, name, list.resolutions ?? {});
    return { ...base, kind: 'price', source: 'list', modelPrice: listed, ...piece };
  }
  // Ratios are relative to the input: a list price with a free input and a paid output cannot be said in them.
  if (list.input !== undefined && (list.input > 0 || !isPaid(list))) {
    const modelRatio = list.input / DOLLARS_PER_MILLION_AT_RATIO_ONE;
    return { ...base, kind: 'ratio', source: 'list', modelRatio, ...classRatios(settings, list, name) };
  }
  if (!settings.SelfUseModeEnabled) return 'no_price';
  const modelRatio = UNKNOWN_MODEL_RATIO;
  return { ...base, kind: 'ratio', source: 'unknown', modelRatio, ...classRatios(settings, list, name) };
}

/**
 * What a fixed price is for. The unit is a fact of the model, so the list's holds for an operator's number too; the list's
 * prices by resolution belong to the list's price.
 */
function pieceOf(
  settings: PriceSettings,
  list: ListPrice,
  name: string,
  listedPrices: Ratios,
): Pick<FixedPriceSnapshot, 'unit' | 'resolutionPrices'> {
  const unit = own(settings.PriceUnit, name) ?? (list.perSecond === undefined ? 'call' : 'second');
  const resolutionPrices = own(settings.ResolutionPrice, name) ?? listedPrices;
  return {
    ...(unit === 'second' ? { unit } : {}),
    ...(Object.keys(resolutionPrices).length === 0 ? {} : { resolutionPrices }),
  };
}

/** Dollars of one piece. */
export function piecePrice({ modelPrice, resolutionPrices }: FixedPriceSnapshot, resolution = ''): number {
  return resolutionPrices === undefined ? modelPrice : piecePriceAt(modelPrice, resolutionPrices, resolution);
}

/** The operator's number, else the list's, else what the class belongs to. */
function classRatios(settings: PriceSettings, list: ListPrice, name: string) {
  const completionRatio = own(settings.CompletionRatio, name) ?? relative(list.output, list.input) ?? 1;
  const operatorWriteRatio = own(settings.CreateCacheRatio, name);
  // A listed model without a figure for cache writes does not charge extra for them; an unlisted one might.
  const usualWriteRatio = list.input === undefined ? 1.25 : 1;
  const cacheWriteRatio = operatorWriteRatio ?? relative(list.cacheWrite5m, list.input) ?? usualWriteRatio;
  const listWrite1hRatio =
    operatorWriteRatio === undefined ? relative(list.cacheWrite1h, list.input) : undefined;
  const audioRatio = own(settings.AudioRatio, name) ?? relative(list.audioIn, list.input) ?? 1;
  return {
    completionRatio,
    cacheRatio: own(settings.CacheRatio, name) ?? relative(list.cacheRead, list.input) ?? 1,
    cacheWriteRatio,
    // An hour costs 1.6 times five minutes wherever the provider's own figure is not known.
    cacheWrite1hRatio:
      own(settings.CreateCache1hRatio, name) ??
      listWrite1hRatio ??
      (cacheWriteRatio > 1 ? product(cacheWriteRatio, 1.6) : cacheWriteRatio),
    imageRatio: own(settings.ImageRatio, name) ?? relative(list.image, list.input) ?? 1,
    audioRatio,
    audioCompletionRatio:
      own(settings.AudioCompletionRatio, name) ??
      relative(list.audioOut, list.audioIn) ??
      relative(relative(list.audioOut, list.input) ?? completionRatio, audioRatio) ??
      1,
    reasoningRatio:
      own(settings.ReasoningRatio, name) ?? relative(list.reasoning, list.input) ?? completionRatio,
  };
}

const PRICE_NAMES = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'image',
  'audioIn',
  'audioOut',
  'reasoning',
  'perCall',
  'perSecond',
] as const satisfies (keyof ListPrice)[];

/** By name: an entry of the list holds other numbers too, such as the size of the context. */
function isPaid(list: ListPrice): boolean {
  return PRICE_NAMES.some((name) => (list[name] ?? 0) > 0);
}

/** The number a class costs for each unit the input costs. A free input gives no base to compare with. */
function relative(price: number | undefined, base: number | undefined): number | undefined {
  if (price === undefined || base === undefined || base === 0) return undefined;
  return inRange(divideDecimals(price, base));
}

function product(left: number, right: number): number {
  return inRange(numberOf(multiply(decimalOf(left), decimalOf(right))));
}

/** One that was derived from extreme numbers: a charge refuses what is no ratio, and with it every call of the model. */
const inRange = (ratio: number): number => Math.min(ratio, MAXIMUM_RATIO);

export const ruleOfModel = ({ PriceRules = {} }: RuleSettings, model: string): PriceRule | undefined =>
  ruleOf(PriceRules, priceName(model));

/** Custom assistants carry an id in the name; all of them pay the price of their family. */
function priceName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/** A model called `constructor` must not find a price on the prototype. */
function own<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
