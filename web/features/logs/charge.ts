/**
 * The charge of a row from the numbers that the row keeps, in exact decimals: count × quota of each, added up and rounded once,
 * as it was charged.
 */
import type { LogView } from '#contract/admin/logs.ts';
import { add, decimalOf, multiply, numberOf, roundHalfUp, type Decimal } from '#contract/money/decimal.ts';
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import type { LogDetails, PriceTier } from './other.ts';

interface Counted {
  count: number;
  /** Quota of one, everything included. */
  quotaEach: Decimal;
  money: number;
}

export interface ChargeTerm extends Counted {
  name: TokenClass;
  /** Relative to an input token. */
  ratio: number;
  /** What the length of the prompt multiplies it by. */
  tier: number;
}

export interface Surcharge extends Counted {
  name: string;
  dollarsEach: number;
}

/** What of a charge a subscription paid, and what the balance. */
export interface PaidParts {
  plan: number;
  wallet: number;
  subscription: number;
  /** Blank: the server did not name it. */
  planName: string;
}

export interface Charge {
  kind: 'tokens' | 'price';
  terms: ChargeTerm[];
  surcharges: Surcharge[];
  modelRatio: number;
  groupRatio: number;
  factors: LogDetails['factors'];
  tier: PriceTier | undefined;
  /** In quota; 0: none. */
  minimumQuota: number;
  /** All together: what everything is multiplied by. */
  callRatio: number;
  quotaPerUnit: number;
  /** Of a fixed price: dollars for one piece, how many, and the quota of one. */
  price: number;
  pieces: number;
  pieceQuota: Decimal;
  bySecond: boolean;
  isPicture: boolean;
  /** Of a video, which may decide the price. */
  resolution: string;
  /** What the terms add up to, in quota, before it is rounded. */
  exactQuota: Decimal;
  computedQuota: number;
  quota: number;
  money: number;
  /** The parts of `quota`, when a subscription paid one. */
  parts: PaidParts | undefined;
  /** What cached tokens saved against the full input price. */
  cacheSaving: number;
}

/** Rows of other gateways may hold any number. */
const decimal = (value: number): Decimal => decimalOf(Math.max(0, value));

const product = (...values: readonly number[]): Decimal =>
  values.reduce((result, value) => multiply(result, decimal(value)), decimalOf(1));

/** Undefined for a row that carries no price. */
export function chargeOf(
  row: Pick<LogView, 'quota' | 'plan_name'>,
  details: LogDetails,
  displayPerUnit: number,
): Charge | undefined {
  if (!details.hasPrice) return undefined;
  const quotaPerUnit = details.quotaPerUnit ?? displayPerUnit;
  const call = product(details.groupRatio, ...details.factors.map(({ value }) => value));
  const counted = (count: number, quotaEach: Decimal): Counted => ({
    count,
    quotaEach,
    money: numberOf(multiply(decimal(count), quotaEach)) / quotaPerUnit,
  });
  const isPrice = details.modelPrice !== undefined;
  const price = details.modelPrice ?? 0;
  const pieceQuota = multiply(call, product(price, quotaPerUnit));
  const terms = isPrice ? [] : tokenTerms(details, call, counted);
  const surcharges = details.surcharges.map(({ name, count, dollarsEach }) => ({
    name,
    dollarsEach,
    ...counted(count, multiply(call, product(dollarsEach, quotaPerUnit))),
  }));
  const all = [...terms, ...surcharges, ...(isPrice ? [counted(details.pieces, pieceQuota)] : [])];
  const exactQuota = quotaOf(all);
  const minimumQuota = whole(multiply(call, product(details.minimumPrice ?? 0, quotaPerUnit)));
  const computedQuota = whole(exactQuota);
  return {
    kind: isPrice ? 'price' : 'tokens',
    terms,
    surcharges,
    modelRatio: details.modelRatio,
    groupRatio: details.groupRatio,
    factors: details.factors,
    tier: details.tier,
    minimumQuota,
    callRatio: numberOf(call),
    quotaPerUnit,
    price,
    pieces: details.pieces,
    pieceQuota,
    bySecond: details.bySecond,
    isPicture: details.path.includes('/images/'),
    resolution: details.resolution,
    exactQuota,
    computedQuota: exactQuota.digits > 0n ? Math.max(computedQuota, minimumQuota) : computedQuota,
    quota: row.quota,
    money: row.quota / quotaPerUnit,
    parts: details.plan && {
      plan: details.plan.quota,
      wallet: row.quota - details.plan.quota,
      subscription: details.plan.subscription,
      planName: row.plan_name ?? '',
    },
    cacheSaving: isPrice ? 0 : savedByCache(details) * (numberOf(call) / quotaPerUnit),
  };
}

export const quotaOf = (counted: readonly Pick<Counted, 'count' | 'quotaEach'>[]): Decimal =>
  counted.reduce((sum, { count, quotaEach }) => add(sum, multiply(decimal(count), quotaEach)), decimalOf(0));

const whole = (value: Decimal): number => Number(roundHalfUp(value));

function tokenTerms(
  details: LogDetails,
  call: Decimal,
  counted: (count: number, quotaEach: Decimal) => Counted,
): ChargeTerm[] {
  const base = multiply(decimal(details.modelRatio), call);
  return TOKEN_CLASSES.flatMap((name) => {
    const count = details.usage[name] ?? 0;
    if (count <= 0) return [];
    const ratio = product(...details.ratios[name]);
    const tier = tierFactor(details.tier, name);
    const quotaEach = multiply(base, multiply(ratio, decimal(tier)));
    return [{ name, ratio: numberOf(ratio), tier, ...counted(count, quotaEach) }];
  });
}

function tierFactor(tier: PriceTier | undefined, name: TokenClass): number {
  if (tier === undefined) return 1;
  if (name === 'cacheRead') return tier.cacheRead;
  if (name === 'cacheWrite5m' || name === 'cacheWrite1h') return tier.cacheWrite;
  return name === 'output' || name === 'reasoning' || name === 'audioOutput' ? tier.output : tier.input;
}

/** In quota, before the ratios of the call. */
function savedByCache({ usage, modelRatio, ratios, tier }: LogDetails): number {
  const cached = numberOf(product(...ratios.cacheRead)) * tierFactor(tier, 'cacheRead');
  return (usage.cacheRead ?? 0) * modelRatio * (tierFactor(tier, 'input') - cached);
}

/** The largest part of the charge, with its share in percent. */
export function largestPart(charge: Charge): { name: TokenClass; percent: number } | undefined {
  const total = charge.terms.reduce((sum, { money }) => sum + money, 0);
  const [largest] = charge.terms.toSorted((left, right) => right.money - left.money);
  if (!largest || total <= 0) return undefined;
  const percent = Math.round((largest.money / total) * 100);
  // All of it only without another part.
  return { name: largest.name, percent: largest.money < total ? Math.min(99, percent) : percent };
}

/**
 * Why the charge differs from the sum of the terms: a model has a minimum, a call of a priced model costs at least one unit,
 * and a spent balance pays only what was held.
 */
export function chargeNote(charge: Charge): 'minimum' | 'least' | 'short' | undefined {
  if (charge.quota < charge.computedQuota - 1) return 'short';
  if (charge.minimumQuota > 1 && charge.quota === charge.minimumQuota) return 'least';
  if (charge.computedQuota === 0 && charge.quota === 1) return 'minimum';
  return undefined;
}

/** Enough significant digits, at most six decimals. */
export function moneyText(amount: number): string {
  if (amount === 0) return '$0';
  const size = Math.abs(amount);
  const decimals = size >= 1 ? 4 : size >= 0.000_001 ? 6 : 8;
  return `$${amount.toFixed(decimals).replace(/(\.\d{2}\d*?)0+$/, '$1')}`;
}
