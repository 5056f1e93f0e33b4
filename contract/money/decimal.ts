// Exact decimals: a JavaScript number read as the decimal a person sees printed, so 0.1 is one tenth and nothing else.

/** The value is digits ÷ 10^scale. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

/** Refuses NaN, infinities and negatives: no price or ratio may be one. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`not a price or ratio: ${value}`);
  const [mantissa = '0', exponentText = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponentText);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function multiply(left: Decimal, right: Decimal): Decimal {
  return { digits: left.digits * right.digits, scale: left.scale + right.scale };
}

export function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return { digits: atScale(left, scale) + atScale(right, scale), scale };
}

/** The digits of the value when written with `scale` decimals; `scale` is never below the value's own. */
export function atScale(value: Decimal, scale: number): bigint {
  return value.digits * 10n ** BigInt(scale - value.scale);
}

/** Removes trailing zeros, so that 1.50 and 1.5 are one. */
export function trimmed(value: Decimal): Decimal {
  let { digits, scale } = value;
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  return { digits, scale };
}

/** Half a unit and more goes up. */
export function roundHalfUp(value: Decimal): bigint {
  const divisor = 10n ** BigInt(value.scale);
  const whole = value.digits / divisor;
  return (value.digits % divisor) * 2n >= divisor ? whole + 1n : whole;
}

/** left ÷ right as a number of at most 12 decimals, free of binary noise (0.3 ÷ 0.1 is 3). */
export function divideDecimals(left: number, right: number): number {
  const numerator = decimalOf(left);
  const denominator = decimalOf(right);
  if (denominator.digits === 0n) throw new RangeError('division by zero');
  const decimals = 12;
  const scaled = numerator.digits * 10n ** BigInt(decimals + denominator.scale) * 2n;
  const divisor = denominator.digits * 10n ** BigInt(numerator.scale);
  const rounded = (scaled / divisor + 1n) / 2n;
  return Number(
    `${rounded / 10n ** BigInt(decimals)}.${String(rounded % 10n ** BigInt(decimals)).padStart(decimals, '0')}`,
  );
}

export function numberOf(value: Decimal): number {
  const text = value.digits.toString().padStart(value.scale + 1, '0');
  return Number(`${text.slice(0, text.length - value.scale)}.${text.slice(text.length - value.scale)}0`);
}

/** left ÷ right with so many significant digits, half a digit up. */
export function quotient(left: Decimal, right: Decimal, significantDigits: number): Decimal {
  if (right.digits === 0n) throw new RangeError('division by zero');
  if (left.digits === 0n) return { digits: 0n, scale: 0 };
  const numerator = left.digits * 10n ** BigInt(right.scale);
  const denominator = right.digits * 10n ** BigInt(left.scale);
  const scale = Math.max(0, significantDigits + 1 + lengthOf(denominator) - lengthOf(numerator));
  const exact = numerator * 10n ** BigInt(scale);
  // The last digit stands for the remainder: what is just above half a digit must not be rounded as if it were below.
  const digits = (exact / denominator) * 10n + (exact % denominator === 0n ? 0n : 1n);
  return rounded({ digits, scale: scale + 1 }, significantDigits);
}

/** With so many significant digits, half a digit up; without trailing zeros. */
export function rounded(value: Decimal, significantDigits: number): Decimal {
  const drop = lengthOf(value.digits) - significantDigits;
  if (drop <= 0) return trimmed(value);
  const kept = roundHalfUp({ digits: value.digits, scale: drop });
  const scale = value.scale - drop;
  return trimmed(scale >= 0 ? { digits: kept, scale } : { digits: kept * 10n ** BigInt(-scale), scale: 0 });
}

/** Digits and a point, never an exponent. */
export function decimalText(value: Decimal, leastDecimals = 0): string {
  const { digits, scale } = trimmed(value);
  const text = digits.toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).padEnd(leastDecimals, '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

const lengthOf = (digits: bigint): number => digits.toString().length;
