// usage × price snapshot → quota units, exactly: ratios are decimals, sums are whole numbers, and there is one rounding,
// at the end (half a unit goes up). Use of a model that is not free never costs zero.
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import {
  add,
  atScale,
  decimalOf,
  multiply,
  numberOf,
  roundHalfUp,
  trimmed,
  type Decimal,
} from '#contract/money/decimal.ts';
import { AmountError } from '#server/money/ledger/errors.ts';
import { amountOf, isAmount, isRatio, maximumAmount } from '#server/money/quota-units.ts';
import type { PriceTier } from '#contract/money/price-rules.ts';
import { piecePrice, type PriceSnapshot, type RatioSnapshot } from './price.ts';
import { tierAt, tierNumber, withFees } from './tiers.ts';
import type { Usage } from './usage.ts';

/** What one unit of each class costs, as whole numbers over one common power of ten. */
interface Rates {
  scale: number;
  divisor: bigint;
  perToken: readonly bigint[];
  /** The same as numbers where they are small enough to multiply without BigInt, else undefined. */
  small: { divisor: number; perToken: readonly number[] } | undefined;
  isFree: boolean;
}

/** The rates of each tier; the first entry is below all of them. */
const compiled = new WeakMap<RatioSnapshot, Rates[]>();

/** The charge in quota units. A charge past the cap throws: before a call is sent that refuses it. */
export function chargeOf(snapshot: PriceSnapshot, usage: Usage): number {
  const units = unitsOf(snapshot, usage);
  if (units > maximumAmount) throw new AmountError('the charge is past the cap');
  return units;
}

/** For output that was delivered: a charge past the cap is the cap, so a settlement never fails because of its size. */
export function cappedChargeOf(snapshot: PriceSnapshot, usage: Usage): number {
  return Math.min(maximumAmount, unitsOf(snapshot, usage));
}

/** The most that this usage can cost, whichever tier the upstream's count of the prompt puts it into. For holds. */
export function largestChargeOf(snapshot: PriceSnapshot, usage: Usage): number {
  let largest = 0;
  for (let tier = 0; tier <= (snapshot.tiers?.length ?? 0); tier += 1)
    largest = Math.max(largest, unitsOf(snapshot, usage, tier));
  return Math.min(maximumAmount, largest);
}

const NO_RATES: Partial<Rates> = {};

/** Exact up to the cap; past it only larger than the cap. */
function unitsOf(snapshot: PriceSnapshot, usage: Usage, tier = tierNumber(snapshot, usage)): number {
  const isPlain =
    snapshot.kind === 'ratio' && snapshot.minimum === undefined && usage.surcharges.length === 0;
  const { small, isFree = false } = isPlain ? ratesOf(snapshot, tier) : NO_RATES;
  if (small === undefined || isFree) {
    checkUsage(usage);
    return isFree ? 0 : Number(exactUnits(snapshot, usage, tier));
  }
  if (!isRatio(usage.pieces)) checkUsage(usage);
  let sum = 0;
  let tokens = 0;
  for (let index = 0; index < TOKEN_CLASSES.length; index += 1) {
    const count = usage[TOKEN_CLASSES[index] as TokenClass];
    if (count === 0) continue;
    if (!isAmount(count)) checkUsage(usage);
    tokens += count;
    sum += count * (small.perToken[index] as number);
  }
  // Past 2^52 a sum of products may have lost a digit.
  if (sum > 2 ** 52) return Number(exactUnits(snapshot, usage, tier));
  const rest = sum % small.divisor;
  const whole = (sum - rest) / small.divisor;
  const rounded = rest * 2 >= small.divisor ? whole + 1 : whole;
  return rounded === 0 && tokens > 0 ? 1 : rounded;
}

/** The same charge in whole-number arithmetic without limits; `chargeOf` uses it when the fast way could lose a digit. */
export function chargeExactly(snapshot: PriceSnapshot, usage: Usage): number {
  checkUsage(usage);
  return amountOf(exactUnits(snapshot, usage, tierNumber(snapshot, usage)));
}

function exactUnits(snapshot: PriceSnapshot, usage: Usage, tier: number): bigint {
  const total = exactCost(snapshot, usage, tier);
  const units = roundHalfUp(total);
  const charged = units === 0n && total.digits > 0n ? 1n : smallestCharge(snapshot, usage, units, tier);
  if (charged === 0n || snapshot.minimum === undefined) return charged;
  const least = roundHalfUp(multiply(perDollar(snapshot), decimalOf(snapshot.minimum)));
  return charged < least ? least : charged;
}

/** Tokens of a free class cost at least one unit on a model that is not free. */
function smallestCharge(snapshot: PriceSnapshot, usage: Usage, units: bigint, tier: number): bigint {
  if (units > 0n || snapshot.kind === 'price' || ratesOf(snapshot, tier).isFree) return units;
  return TOKEN_CLASSES.some((name) => usage[name] > 0) ? 1n : 0n;
}

function exactCost(snapshot: PriceSnapshot, usage: Usage, tier: number): Decimal {
  let total: Decimal = { digits: 0n, scale: 0 };
  if (snapshot.kind === 'price') {
    const dollars = decimalOf(piecePrice(snapshot, usage.resolution));
    total = multiply(perDollar(snapshot), multiply(dollars, decimalOf(usage.pieces)));
  } else {
    const rates = ratesOf(snapshot, tier);
    let digits = 0n;
    for (const [index, name] of TOKEN_CLASSES.entries())
      digits += BigInt(usage[name]) * (rates.perToken[index] ?? 0n);
    total = { digits, scale: rates.scale };
  }
  for (const surcharge of usage.surcharges) {
    const dollars = multiply(decimalOf(surcharge.dollarsEach), decimalOf(surcharge.count));
    total = add(total, multiply(perDollar(snapshot), dollars));
  }
  return total;
}

export interface HoldEstimate {
  /** The most that the hold must cover. */
  usage: Usage;
  /** The option PreConsumedQuota. */
  smallestHold: number;
}

/** What a call must reserve before it goes out: the estimate at its largest tier. Free models hold nothing. */
export function holdFor(snapshot: PriceSnapshot, estimate: HoldEstimate): number {
  const usage = withFees(snapshot, estimate.usage);
  const charge = chargeOf(snapshot, usage);
  const expected = snapshot.tiers === undefined ? charge : largestChargeOf(snapshot, usage);
  if (snapshot.kind === 'price' || ratesOf(snapshot, 0).isFree) return expected;
  return Math.max(expected, estimate.smallestHold);
}

function ratesOf(snapshot: RatioSnapshot, tier: number): Rates {
  let rates = compiled.get(snapshot);
  if (rates === undefined) compiled.set(snapshot, (rates = []));
  return (rates[tier] ??= compile(snapshot, tierAt(snapshot, tier)));
}

function compile(snapshot: RatioSnapshot, tier: PriceTier | undefined): Rates {
  const base = multiply(ratio(snapshot.modelRatio), callRatio(snapshot));
  const byInput = factor(tier?.input);
  const input = multiply(base, byInput);
  const write = multiply(base, tier?.cacheWrite === undefined ? byInput : factor(tier.cacheWrite));
  const output = multiply(base, factor(tier?.output));
  const audio = ratio(snapshot.audioRatio);
  const byClass: Record<TokenClass, Decimal> = {
    input,
    cacheRead: multiply(
      multiply(base, tier?.cacheRead === undefined ? byInput : factor(tier.cacheRead)),
      ratio(snapshot.cacheRatio),
    ),
    cacheWrite5m: multiply(write, ratio(snapshot.cacheWriteRatio)),
    cacheWrite1h: multiply(write, ratio(snapshot.cacheWrite1hRatio)),
    imageInput: multiply(input, ratio(snapshot.imageRatio)),
    audioInput: multiply(input, audio),
    output: multiply(output, ratio(snapshot.completionRatio)),
    reasoning: multiply(output, ratio(snapshot.reasoningRatio)),
    audioOutput: multiply(output, multiply(audio, ratio(snapshot.audioCompletionRatio))),
  };
  const decimals = TOKEN_CLASSES.map((name) => trimmed(byClass[name]));
  const scale = Math.max(...decimals.map((rate) => rate.scale));
  const perToken = decimals.map((rate) => atScale(rate, scale));
  const fits = scale <= 15 && perToken.every((rate) => rate < 2n ** 50n);
  return {
    scale,
    divisor: 10n ** BigInt(scale),
    perToken,
    small: fits ? { divisor: 10 ** scale, perToken: perToken.map(Number) } : undefined,
    isFree: base.digits === 0n,
  };
}

/** Quota units of a dollar of surcharges. */
export const unitsPerDollar = (snapshot: PriceSnapshot): number => numberOf(perDollar(snapshot));

function perDollar(snapshot: PriceSnapshot): Decimal {
  return multiply(decimalOf(snapshot.quotaPerUnit), callRatio(snapshot));
}

/** The ratios that apply to everything in the call. */
function callRatio({ groupRatio, batchRatio, classRatio, hourRatio, hitRatio }: PriceSnapshot): Decimal {
  const ofClass = multiply(factor(batchRatio), factor(classRatio));
  const asked = multiply(ratio(groupRatio), multiply(ofClass, factor(hourRatio)));
  return hitRatio === undefined ? asked : multiply(asked, ratio(hitRatio));
}

const factor = (value = 1): Decimal => ratio(value);

function ratio(value: number): Decimal {
  if (!isRatio(value)) throw new AmountError(`not a ratio: ${String(value)}`);
  return decimalOf(value);
}

function checkUsage(usage: Usage): void {
  for (let index = 0; index < TOKEN_CLASSES.length; index += 1) {
    const name = TOKEN_CLASSES[index] as TokenClass;
    if (!isAmount(usage[name])) throw new AmountError(`${name} tokens: ${String(usage[name])}`);
  }
  if (!isRatio(usage.pieces)) throw new AmountError(`pieces: ${String(usage.pieces)}`);
  for (const { name, count, dollarsEach } of usage.surcharges) {
    if (!isAmount(count) || !isRatio(dollarsEach))
      throw new AmountError(`surcharge ${name}: ${count} × ${dollarsEach}`);
  }
}
