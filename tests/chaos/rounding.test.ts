// A million random prices and usages (`npm test`: fifty thousand) against independent arithmetic: fractions of integers,
// built from the digits of each ratio, rounded once.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { chargeOf } from '#server/money/prices/charge.ts';
import type { RatioSnapshot } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { dice } from '#tests/support/random.ts';
import { isLong, printFigures } from './extent.ts';

setDefaultTimeout(300_000);

const samples = isLong ? 1_000_000 : 50_000;

/** numerator / 10^digits */
interface Fraction {
  numerator: bigint;
  digits: number;
}

function fractionOf(value: number): Fraction {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', part = ''] = mantissa.split('.');
  const digits = part.length - Number(exponent);
  const numerator = BigInt(whole + part);
  return digits >= 0 ? { numerator, digits } : { numerator: numerator * 10n ** BigInt(-digits), digits: 0 };
}

function product(...values: readonly number[]): Fraction {
  return values.map(fractionOf).reduce((one, other) => ({
    numerator: one.numerator * other.numerator,
    digits: one.digits + other.digits,
  }));
}

function sum(terms: readonly Fraction[]): Fraction {
  const digits = Math.max(...terms.map((term) => term.digits));
  const numerator = terms.reduce(
    (total, term) => total + term.numerator * 10n ** BigInt(digits - term.digits),
    0n,
  );
  return { numerator, digits };
}

/** Half a unit goes up. */
function rounded({ numerator, digits }: Fraction): bigint {
  const divisor = 10n ** BigInt(digits);
  return (numerator * 2n + divisor) / (divisor * 2n);
}

const below = (limit: number) => Math.floor(dice.next() * limit);
const shapes: readonly (() => number)[] = [
  () => below(100),
  () => below(10_000) / 100,
  () => dice.next(),
  () => dice.next() * 1e-6,
  () => 0,
  () => below(1_000_000) / 1e6,
  () => 1 / (1 + below(300)),
];
const ratio = () => shapes[below(shapes.length)]?.() ?? 1;
const count = () => (dice.next() < 0.3 ? 0 : below(10 ** (1 + below(7))));

test(`M13 ${samples} random prices and usages cost what integer arithmetic says, and paid use is never free (plan M13)`, () => {
  let rounds = 0;
  let smallest = 0;
  for (let index = 0; index < samples; index += 1) {
    const price = {
      modelRatio: ratio(),
      completionRatio: ratio(),
      cacheRatio: ratio(),
      cacheWriteRatio: ratio(),
      groupRatio: ratio(),
    };
    const snapshot: RatioSnapshot = {
      version: 1,
      model: 'm',
      group: 'default',
      quotaPerUnit: 500_000,
      source: 'operator',
      kind: 'ratio',
      ...price,
      cacheWrite1hRatio: 1,
      imageRatio: 1,
      audioRatio: 1,
      audioCompletionRatio: 1,
      reasoningRatio: 1,
    };
    const used = { input: count(), output: count(), cacheRead: count(), cacheWrite5m: count() };
    const base = [price.modelRatio, price.groupRatio];
    const exact = sum([
      product(...base, used.input),
      product(...base, price.completionRatio, used.output),
      product(...base, price.cacheRatio, used.cacheRead),
      product(...base, price.cacheWriteRatio, used.cacheWrite5m),
    ]);
    const isUsed = Object.values(used).some((tokens) => tokens > 0);
    const isFree = price.modelRatio === 0 || price.groupRatio === 0;
    const whole = rounded(exact);
    const expected = whole === 0n && isUsed && !isFree ? 1n : whole;
    const charged = chargeOf(snapshot, usageOf(used));
    if (BigInt(charged) !== expected)
      throw new Error(`${JSON.stringify({ price, used })} cost ${charged}, not ${expected}`);
    if (exact.numerator % 10n ** BigInt(exact.digits) !== 0n) rounds += 1;
    if (whole === 0n && expected === 1n) smallest += 1;
  }
  printFigures('rounding', { samples, rounds, smallest });
  // Samples without rounding would prove nothing.
  expect(rounds).toBeGreaterThan(samples / 4);
  expect(smallest).toBeGreaterThan(samples / 1000);
  faultSeen('M13', `${samples} samples, ${rounds} rounded, ${smallest} raised to one unit`);
});
