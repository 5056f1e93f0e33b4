/** The charge of a row as an equation: terms × model ratio × group ratio (× batch ratio) ÷ quota per dollar = money. */
import type { LogView } from '#contract/logs.ts';
import { TOKEN_CLASSES, type TokenClass } from '#contract/token-classes.ts';
import type { LogDetails } from './other.ts';

export interface ChargeTerm {
  name: TokenClass;
  count: number;
  /** Relative to an input token. */
  ratio: number;
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
  batchRatio: number | undefined;
  /** Both together: what everything is multiplied by. */
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
  const callRatio = details.groupRatio * (details.batchRatio ?? 1);
  const perToken = (details.modelRatio * callRatio) / quotaPerUnit;
  const isPrice = details.modelPrice !== undefined;
  const price = details.modelPrice ?? 0;
  const terms = isPrice
    ? []
    : TOKEN_CLASSES.flatMap((name) => {
        const count = details.usage[name] ?? 0;
        const ratio = details.ratios[name];
        return count > 0 ? [{ name, count, ratio, money: count * ratio * perToken }] : [];
      });
  const surcharges = details.surcharges.map((surcharge) => ({
    ...surcharge,
    money: surcharge.count * surcharge.dollarsEach * callRatio,
  }));
  const sum = (parts: readonly { money: number }[]) => parts.reduce((total, { money }) => total + money, 0);
  const computed = sum(terms) + sum(surcharges) + (isPrice ? price * details.pieces * callRatio : 0);
  const cached = details.usage.cacheRead ?? 0;
  return {
    kind: isPrice ? 'price' : 'tokens',
    terms,
    surcharges,
    modelRatio: details.modelRatio,
    groupRatio: details.groupRatio,
    batchRatio: details.batchRatio,
    callRatio,
    quotaPerUnit,
    price,
    pieces: details.pieces,
    bySecond: details.bySecond,
    resolution: details.resolution,
    computedQuota: Math.round(computed * quotaPerUnit),
    quota: row.quota,
    money: row.quota / quotaPerUnit,
    parts: details.plan && {
      plan: details.plan.quota,
      wallet: row.quota - details.plan.quota,
      subscription: details.plan.subscription,
    },
    cacheSaving: isPrice ? 0 : cached * (1 - details.ratios.cacheRead) * perToken,
  };
}

/** The largest part of the charge, with its share in percent. */
export function largestPart(charge: Charge): { name: TokenClass; percent: number } | undefined {
  const total = charge.terms.reduce((sum, { money }) => sum + money, 0);
  const [largest] = charge.terms.toSorted((left, right) => right.money - left.money);
  if (!largest || total <= 0) return undefined;
  return { name: largest.name, percent: Math.round((largest.money / total) * 100) };
}

/**
 * Why the charge differs from the sum of the terms: a call of a priced model costs at least one unit, and a spent balance
 * pays only what was held.
 */
export function chargeNote(charge: Charge): 'minimum' | 'short' | undefined {
  if (charge.quota < charge.computedQuota - 1) return 'short';
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
