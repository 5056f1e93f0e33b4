/**
 * The price options as the rows of one sheet and back. A model has a fixed price or ratios, never both; empty cells are left
 * out of the texts.
 */
import type { PricedModel } from '#contract/options.ts';

/** By name of the option. */
export type Texts = Readonly<Record<string, string>>;

/** Undefined when it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const RATIO_KEYS = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const;
export type RatioKey = (typeof RATIO_KEYS)[number];
type Numbers = Record<string, number>;
/** What a fixed price is for, and its prices by resolution. */
const PIECE_KEYS = ['PriceUnit', 'ResolutionPrice'] as const;
/** Every option the sheet edits. */
export const SHEET_KEYS = [...RATIO_KEYS, ...PIECE_KEYS] as const;
export type SheetKey = (typeof SHEET_KEYS)[number];
type Unit = 'call' | 'second';
export type RatioMaps = Record<RatioKey, Numbers> & {
  PriceUnit: Record<string, Unit>;
  ResolutionPrice: Record<string, Numbers>;
};

export type Billing = 'usage' | Unit;

export interface RatioRow {
  model: string;
  vendor: string;
  billing: Billing;
  /** Set by the operator; undefined: the built-in list applies. */
  price?: number;
  ratio?: number;
  completion?: number;
  unit?: Unit;
  resolutions?: Numbers;
  facts?: PricedModel;
}

/** Undefined when one of the texts is not a map of what its option holds. */
export function mapsOf(texts: Texts): RatioMaps | undefined {
  const [price, ratio, completion] = RATIO_KEYS.map((key) => numbersOf(texts[key] ?? '{}'));
  const units = mapOf(
    texts['PriceUnit'] ?? '{}',
    (entry): entry is Unit => entry === 'call' || entry === 'second',
  );
  const resolutions = mapOf(texts['ResolutionPrice'] ?? '{}', (entry) => isMap(entry, isNumber));
  if (!price || !ratio || !completion || !units || !resolutions) return undefined;
  return {
    ModelPrice: price,
    ModelRatio: ratio,
    CompletionRatio: completion,
    PriceUnit: units,
    ResolutionPrice: resolutions,
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

function isMap<Value>(
  value: unknown,
  isValue: (entry: unknown) => entry is Value,
): value is Record<string, Value> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(isValue);
}

function mapOf<Value>(
  text: string,
  isValue: (entry: unknown) => entry is Value,
): Record<string, Value> | undefined {
  const value = text.trim() === '' ? {} : parsed(text);
  return isMap(value, isValue) ? value : undefined;
}

const numbersOf = (text: string): Numbers | undefined => mapOf(text, isNumber);

export function rowsOf(maps: RatioMaps, models: readonly PricedModel[]): RatioRow[] {
  const facts = new Map(models.map((model) => [model.model, model]));
  const names = new Set([...SHEET_KEYS.flatMap((key) => Object.keys(maps[key])), ...facts.keys()]);
  return [...names].toSorted().map((model) => rowOf(maps, model, facts.get(model)));
}

export function rowOf(maps: RatioMaps, model: string, facts: PricedModel | undefined): RatioRow {
  const price = own(maps.ModelPrice, model);
  const ratio = own(maps.ModelRatio, model);
  const listedByCall = ratio === undefined && facts?.list_price !== undefined;
  const unit = own(maps.PriceUnit, model);
  return {
    model,
    vendor: facts?.vendor ?? '',
    billing: price !== undefined || listedByCall ? (unit ?? facts?.list_unit ?? 'call') : 'usage',
    price,
    ratio,
    completion: own(maps.CompletionRatio, model),
    unit,
    resolutions: own(maps.ResolutionPrice, model),
    facts,
  };
}

const own = <Value>(map: Record<string, Value>, key: string): Value | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/** Sets or clears one cell. A fixed price removes the ratios of its model. */
export function withCell(
  maps: RatioMaps,
  key: RatioKey,
  model: string,
  value: number | undefined,
): RatioMaps {
  const next: RatioMaps = {
    ...maps,
    ModelPrice: { ...maps.ModelPrice },
    ModelRatio: { ...maps.ModelRatio },
    CompletionRatio: { ...maps.CompletionRatio },
  };
  if (value === undefined) delete next[key][model];
  else next[key][model] = value;
  for (const fixed of Object.keys(next.ModelPrice)) {
    delete next.ModelRatio[fixed];
    delete next.CompletionRatio[fixed];
  }
  return next;
}

/** The kind of billing: the numbers of the other kinds are removed. A unit is kept only where it differs from the list's. */
export function withBilling(
  maps: RatioMaps,
  model: string,
  billing: Billing,
  listed: Unit = 'call',
): RatioMaps {
  if (billing === 'usage')
    return withPiece(withCell(maps, 'ModelPrice', model, undefined), model, undefined, undefined);
  const numbers = withCell(
    withCell(maps, 'ModelRatio', model, undefined),
    'CompletionRatio',
    model,
    undefined,
  );
  const resolutions = own(maps.ResolutionPrice, model);
  return withPiece(numbers, model, billing === listed ? undefined : billing, resolutions);
}

/** Sets or clears what a fixed price is for and its prices by resolution. */
export function withPiece(
  maps: RatioMaps,
  model: string,
  unit: Unit | undefined,
  resolutions: Numbers | undefined,
): RatioMaps {
  const next = {
    ...maps,
    PriceUnit: { ...maps.PriceUnit },
    ResolutionPrice: { ...maps.ResolutionPrice },
  };
  if (unit === undefined) delete next.PriceUnit[model];
  else next.PriceUnit[model] = unit;
  if (resolutions === undefined || Object.keys(resolutions).length === 0) delete next.ResolutionPrice[model];
  else next.ResolutionPrice[model] = resolutions;
  return next;
}

export function withoutModel(maps: RatioMaps, model: string): RatioMaps {
  const numbers = RATIO_KEYS.reduce((next, key) => withCell(next, key, model, undefined), maps);
  return withPiece(numbers, model, undefined, undefined);
}

/** The stored cells of one model. */
export function withStored(maps: RatioMaps, stored: RatioMaps, model: string): RatioMaps {
  const numbers = RATIO_KEYS.reduce(
    (next, key) => withCell(next, key, model, own(stored[key], model)),
    withoutModel(maps, model),
  );
  return withPiece(numbers, model, own(stored.PriceUnit, model), own(stored.ResolutionPrice, model));
}

export function textsOf(maps: RatioMaps): Record<SheetKey, string> {
  const text = (key: SheetKey) => JSON.stringify(maps[key], null, 2);
  return {
    ModelPrice: text('ModelPrice'),
    ModelRatio: text('ModelRatio'),
    CompletionRatio: text('CompletionRatio'),
    PriceUnit: text('PriceUnit'),
    ResolutionPrice: text('ResolutionPrice'),
  };
}

/** `1080p=0.2, 2160p=0.4` */
export const resolutionText = (prices: Numbers | undefined): string =>
  Object.entries(prices ?? {})
    .map(([resolution, price]) => `${resolution}=${price}`)
    .join(', ');

/** Undefined when a part is not a resolution with a price. */
export function readResolutions(text: string): Numbers | undefined {
  const prices: Numbers = {};
  for (const part of text.split(/[,，;\s]+/).filter((each) => each !== '')) {
    const [, resolution, price] = /^(\d{2,5}p)[=:](\d+(?:\.\d+)?)$/i.exec(part) ?? [];
    if (resolution === undefined) return undefined;
    prices[resolution.toLowerCase()] = Number(price);
  }
  return prices;
}

/** A typed cell of ratios: blank clears it, `bad` is not a valid number. */
export function readCell(text: string): number | undefined | 'bad' {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) && value >= 0 && value <= 1e9 ? value : 'bad';
}

/** True for text that is an amount of money by its sign, wherever it is typed. */
export const isMoney = (text: string): boolean => /^[$＄]/.test(text.trim());

/** A typed price: `2.5`, `$2.50`, `$ 2.50`. */
export const readDollars = (text: string): number | undefined | 'bad' =>
  readCell(text.trim().replace(/^[$＄]\s*/, ''));
