// Converts quota between two installations with different units of a dollar. Exact, with one rounding: half a unit goes up.
import { decimalOf } from '#contract/money/decimal.ts';
import { maximumAmount } from '#server/money/quota-units.ts';
import { SETTINGS } from '#contract/settings.ts';
import { SourceError } from '#server/operating/import-export/source/source.ts';

export interface Scale {
  readonly isSame: boolean;
  /** A whole number of units; negative ones become zero. */
  amount(units: number): number;
  /** Dollars to units of this installation. */
  ofDollars(dollars: number): number;
  /** A model ratio is units for a token, so it is converted as amounts are. */
  ratio(value: number): number;
}

const USUAL_UNITS = '500000';
const LEAST_UNITS = 1e-6;

/**
 * Units of a dollar at the source and here. An empty installation takes over the source's; where they are not valid as our
 * setting, amounts are converted, or every balance would change its worth. Throws before anything is written when they are
 * no number of units at all.
 */
export function unitsOf(
  text: string | undefined,
  { ownUnits, isEmpty }: { ownUnits: number; isEmpty: boolean },
): { source: number; own: number } {
  const source = Number(text?.trim() || USUAL_UNITS);
  if (!(source >= LEAST_UNITS && source <= Number.MAX_SAFE_INTEGER))
    throw new SourceError(
      `the source says that a dollar is ${text} units (QuotaPerUnit); amounts cannot be converted.`,
    );
  return { source, own: isEmpty && isOurs(source) ? source : ownUnits };
}

function isOurs(units: number): boolean {
  try {
    return SETTINGS.QuotaPerUnit.parse(String(units)) === units;
  } catch {
    return false;
  }
}

export function scaleOf(sourceUnits: number, ownUnits: number): Scale {
  const source = decimalOf(sourceUnits);
  const own = decimalOf(ownUnits);
  const isSame = sourceUnits === ownUnits;
  // own / source as a fraction of whole numbers.
  const above = own.digits * 10n ** BigInt(source.scale);
  const beneath = source.digits * 10n ** BigInt(own.scale);
  return {
    isSame,
    amount(units) {
      if (units <= 0) return 0;
      if (isSame) return units;
      return safe((BigInt(units) * above * 2n + beneath) / (beneath * 2n));
    },
    ofDollars(dollars) {
      if (dollars <= 0) return 0;
      const { digits, scale } = decimalOf(dollars);
      const divisor = 10n ** BigInt(scale + own.scale);
      return safe((digits * own.digits * 2n + divisor) / (divisor * 2n));
    },
    ratio: (value) => (isSame ? value : Number(((value * Number(above)) / Number(beneath)).toPrecision(12))),
  };
}

function safe(value: bigint): number {
  if (value > BigInt(maximumAmount)) throw new RangeError('the amount is past the cap');
  return Number(value);
}
