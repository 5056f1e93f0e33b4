/**
 * The charge of a row in dollars: each term as count × price, group and every other factor included. A price is printed with as
 * few digits as give the same charge, so that whoever adds up the printed terms finds the charge.
 */
import {
  add,
  decimalOf,
  decimalText,
  multiply,
  quotient,
  roundHalfUp,
  type Decimal,
} from '#contract/money/decimal.ts';
import type { TokenClass } from '#contract/money/token-classes.ts';
import { quotaOf, type Charge } from './charge.ts';

export type PriceUnit = 'million' | 'second' | 'picture' | 'call' | 'each';

export interface PrintedTerm {
  /** Of a surcharge: its own name. */
  name: TokenClass | 'price' | (string & {});
  isSurcharge: boolean;
  count: number;
  unit: PriceUnit;
  /** Dollars, as printed. */
  price: string;
}

export interface PrintedCharge {
  terms: PrintedTerm[];
  /** Dollars that the printed terms add up to. */
  sum: string;
  /** The sum is not a whole number of quota, so that the charge was rounded. */
  isRounded: boolean;
  /** Digits of a price that is printed shorter than it is; undefined when none is. */
  priceDigits: number | undefined;
}

/** Ratios of the built-in list have twelve decimals of a quotient; more digits than these are of no use to a reader. */
const DIGITS = [6, 8, 10, 12, 16, 24, 40] as const;
/** A price that differs less than this from its print is said to be exact: the ratio in the row is a rounded quotient itself. */
const NOTED_DIGITS = 10;

interface ExactTerm extends Omit<PrintedTerm, 'price'> {
  quotaEach: Decimal;
}

export function printedCharge(charge: Charge): PrintedCharge {
  const terms = exactTerms(charge);
  const perUnit = decimalOf(charge.quotaPerUnit);
  const charged = roundHalfUp(charge.exactQuota);
  const digits = DIGITS.find(
    (each) => roundHalfUp(quotaOfPrices(terms, pricesOf(terms, perUnit, each), perUnit)) === charged,
  );
  const prices =
    digits === undefined ? raised(pricesOf(terms, perUnit, 40)) : pricesOf(terms, perUnit, digits);
  const noted = pricesOf(terms, perUnit, NOTED_DIGITS);
  const quota = quotaOfPrices(terms, prices, perUnit);
  return {
    terms: terms.map(({ name, isSurcharge, count, unit }, index) => ({
      name,
      isSurcharge,
      count,
      unit,
      price: `$${decimalText(prices[index] ?? decimalOf(0), 2)}`,
    })),
    sum: dollarsText(quota, perUnit),
    isRounded: quota.digits % 10n ** BigInt(quota.scale) !== 0n,
    priceDigits:
      digits !== undefined &&
      digits < NOTED_DIGITS &&
      noted.some((price, index) => !isEqual(price, prices[index]))
        ? digits
        : undefined,
  };
}

function exactTerms(charge: Charge): ExactTerm[] {
  const tokens = charge.terms.map(({ name, count, quotaEach }): ExactTerm => ({
    name,
    count,
    quotaEach,
    unit: 'million',
    isSurcharge: false,
  }));
  const piece: ExactTerm = {
    name: 'price',
    count: charge.pieces,
    quotaEach: charge.pieceQuota,
    unit: charge.bySecond ? 'second' : charge.isPicture ? 'picture' : 'call',
    isSurcharge: false,
  };
  const surcharges = charge.surcharges.map(({ name, count, quotaEach }): ExactTerm => ({
    name,
    count,
    quotaEach,
    unit: 'each',
    isSurcharge: true,
  }));
  return [...(charge.kind === 'price' ? [piece] : tokens), ...surcharges];
}

const MILLION = decimalOf(1_000_000);
const MILLIONTH: Decimal = { digits: 1n, scale: 6 };

const pricesOf = (terms: readonly ExactTerm[], perUnit: Decimal, digits: number): Decimal[] =>
  terms.map(({ unit, quotaEach }) =>
    quotient(unit === 'million' ? multiply(quotaEach, MILLION) : quotaEach, perUnit, digits),
  );

const quotaOfPrices = (terms: readonly ExactTerm[], prices: readonly Decimal[], perUnit: Decimal): Decimal =>
  quotaOf(
    terms.map(({ count, unit }, index) => {
      const dollars = prices[index] ?? decimalOf(0);
      return {
        count,
        quotaEach: multiply(perUnit, unit === 'million' ? multiply(dollars, MILLIONTH) : dollars),
      };
    }),
  );

/** Half a unit that no number of digits can print, because the prices are endless fractions: a little more rounds up as it did. */
const raised = (prices: readonly Decimal[]): Decimal[] =>
  prices.map((price) => add(price, price.digits === 0n ? decimalOf(0) : { digits: 1n, scale: 40 }));

const isEqual = (left: Decimal, right: Decimal | undefined): boolean =>
  right !== undefined && decimalText(left) === decimalText(right);

/** The dollars of a row's quota, to the unit. */
export const quotaMoney = ({ quotaPerUnit }: Charge, quota: number): string =>
  dollarsText(decimalOf(quota), decimalOf(quotaPerUnit));

function dollarsText(quota: Decimal, perUnit: Decimal): string {
  const digits = quota.digits.toString().length + perUnit.digits.toString().length + 2;
  return `$${decimalText(quotient(quota, perUnit, digits), 2)}`;
}
