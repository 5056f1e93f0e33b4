/** The charge of a row as an equation: terms × model ratio × group ratio (× batch, class, hour) ÷ quota per dollar = money. */
import type { LogView } from '#contract/admin/logs.ts';
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import type { LogDetails, PriceTier } from './other.ts';

export interface ChargeTerm {
  name: TokenClass;
  count: number;
  /** Relative to an input token. */
  ratio: number;
  /** What the length of the prompt multiplies it by. */
  tier: number;
  money: number;
}

export interface Surcharge {
  name: string;
  count: number;
  dollarsEach: number;
  money: number;
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
  /** Of a fixed price: dollars for one piece, and how many. */
  price: number;
  pieces: number;
  bySecond: boolean;
  /** Of a video, which may decide the price. */
  resolution: string;
  /** What the terms add up to, in quota. */
  computedQuota: number;
  quota: number;
  money: number;
  /** The parts of `quota`, when a subscription paid one. */
  parts: { plan: number; wallet: number; subscription: number } | undefined;
  /** What cached tokens saved against the full input price. */
  cacheSaving: number;
}

/** Undefined for a row that carries no price. */
export function chargeOf(
  row: Pick<LogView, 'quota'>,
  details: LogDetails,
  displayPerUnit: number,
): Charge | undefined {
  if (!details.hasPrice) return undefined;
  const quotaPerUnit = details.quotaPerUnit ?? displayPerUnit;
  const callRatio = details.factors.reduce((product, { value }) => product * value, details.groupRatio);
  const perToken = (details.modelRatio * callRatio) / quotaPerUnit;
  const isPrice = details.modelPrice !== undefined;
  const price = details.modelPrice ?? 0;
  const terms = isPrice
    ? []
    : TOKEN_CLASSES.flatMap((name) => {
        const count = details.usage[name] ?? 0;
        const ratio = details.ratios[name];
        const tier = tierFactor(details.tier, name);
        return count > 0 ? [{ name, count, ratio, tier, money: count * ratio * tier * perToken }] : [];
      });
  const surcharges = details.surcharges.map((surcharge) => ({
    ...surcharge,
    money: surcharge.count * surcharge.dollarsEach * callRatio,
  }));
  const sum = (parts: readonly { money: number }[]) => parts.reduce((total, { money }) => total + money, 0);
  const computed = sum(terms) + sum(surcharges) + (isPrice ? price * details.pieces * callRatio : 0);
  const minimumQuota = Math.round((details.minimumPrice ?? 0) * callRatio * quotaPerUnit);
  const computedQuota = Math.round(computed * quotaPerUnit);
  const cached = details.usage.cacheRead ?? 0;
  return {
    kind: isPrice ? 'price' : 'tokens',
    terms,
    surcharges,
    modelRatio: details.modelRatio,
    groupRatio: details.groupRatio,
    factors: details.factors,
    tier: details.tier,
    minimumQuota,
    callRatio,
    quotaPerUnit,
    price,
    pieces: details.pieces,
    bySecond: details.bySecond,
    resolution: details.resolution,
    computedQuota: computed > 0 ? Math.max(computedQuota, minimumQuota) : computedQuota,
    quota: row.quota,
    money: row.quota / quotaPerUnit,
    parts: details.plan && {
      plan: details.plan.quota,
      wallet: row.quota - details.plan.quota,
      subscription: details.plan.subscription,
    },
    cacheSaving: isPrice ? 0 : cached * savedBy(details) * perToken,
  };
}

function tierFactor(tier: PriceTier | undefined, name: TokenClass): number {
  if (tier === undefined) return 1;
  if (name === 'cacheRead') return tier.cacheRead;
  if (name === 'cacheWrite5m' || name === 'cacheWrite1h') return tier.cacheWrite;
  return name === 'output' || name === 'reasoning' || name === 'audioOutput' ? tier.output : tier.input;
}

/** For each cached token, relative to an input token. */
function savedBy({ ratios, tier }: LogDetails): number {
  return tierFactor(tier, 'input') - ratios.cacheRead * tierFactor(tier, 'cacheRead');
}

/** The largest part of the charge, with its share in percent. */
export function largestPart(charge: Charge): { name: TokenClass; percent: number } | undefined {
  const total = charge.terms.reduce((sum, { money }) => sum + money, 0);
  const [largest] = charge.terms.toSorted((left, right) => right.money - left.money);
  if (!largest || total <= 0) return undefined;
  return { name: largest.name, percent: Math.round((largest.money / total) * 100) };
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
