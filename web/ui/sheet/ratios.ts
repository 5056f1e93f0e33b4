/**
 * The price options as the rows of one sheet and back. A model has a fixed price or ratios, never both; empty cells are left
 * out of the texts.
 */
import { DOLLARS_PER_MILLION } from '#contract/money/pricing.ts';
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

/** What a model costs at group ratio 1: dollars for a call or second, or dollars per million tokens in and out. */
export type UnitPrice = { call: number } | { input: number; output: number } | undefined;

const exact = (value: number): number => Number(value.toPrecision(12));

export function unitPrice(row: RatioRow): UnitPrice {
  if (row.price !== undefined) return { call: row.price };
  if (row.ratio === undefined && row.facts?.list_price !== undefined) return { call: row.facts.list_price };
  const ratio = row.ratio ?? row.facts?.list_ratio;
  if (ratio === undefined) return undefined;
  const input = ratio * DOLLARS_PER_MILLION;
  const completion = row.completion ?? row.facts?.list_completion_ratio ?? 1;
  return { input: exact(input), output: exact(input * completion) };
}

export type DollarPart = 'call' | 'input' | 'output';

/**
 * Sets one price in dollars at group ratio 1. The options store ratios, where the output follows the input; here the other price
 * stays what it is. Undefined for an output price without an input price: it cannot be written as a ratio.
 */
export function withDollars(
  maps: RatioMaps,
  row: RatioRow,
  part: DollarPart,
  dollars: number,
): RatioMaps | undefined {
  const { model, facts } = row;
  if (part === 'call') return withCell(maps, 'ModelPrice', model, dollars);
  const price = unitPrice(row);
  const before = price && 'input' in price ? price : undefined;
  if (part === 'output') {
    if (before === undefined || before.input === 0) return undefined;
    return withCell(maps, 'CompletionRatio', model, exact(dollars / before.input));
  }
  const next = withCell(maps, 'ModelRatio', model, exact(dollars / DOLLARS_PER_MILLION));
  const after = unitPrice(rowOf(next, model, facts));
  if (before === undefined || dollars === 0 || !after || !('output' in after)) return next;
  if (after.output === before.output) return next;
  return withCell(next, 'CompletionRatio', model, exact(before.output / dollars));
}

/**
 * The difference in cost of the last 30 days, in quota. The actual charge includes the group ratios, so it
 * is scaled by the price change of the same tokens. Undefined without a comparison.
 */
export function recentDifference(before: RatioRow, after: RatioRow): number | undefined {
  const { facts } = after;
  if (!facts || facts.recent_quota === 0) return undefined;
  const old = recentDollars(before);
  const next = recentDollars(after);
  if (old === undefined || next === undefined || old === 0) return undefined;
  return Math.round(facts.recent_quota * (next / old - 1));
}

function recentDollars(row: RatioRow): number | undefined {
  const price = unitPrice(row);
  if (!price || !row.facts) return undefined;
  if ('call' in price) return price.call * row.facts.recent_calls;
  return price.input * row.facts.recent_prompt_tokens + price.output * row.facts.recent_completion_tokens;
}

/** A typed cell: blank clears it, `bad` is not a valid number. */
export function readCell(text: string): number | undefined | 'bad' {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) && value >= 0 && value <= 1e9 ? value : 'bad';
}
