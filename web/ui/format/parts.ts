/** A sum and its parts as they are shown: the parts are rounded so that they still add up to the rounded sum. */
import {
  formatMoney,
  MINUS,
  moneyDecimals,
  renderQuota,
  type QuotaDisplay,
} from '#contract/money/quota-text.ts';

/** Whole numbers of the smallest unit that is shown; the parts add up to `total`. */
export interface RoundedParts<Name extends string> {
  total: number;
  parts: Record<Name, number>;
  round: (quota: number) => number;
  text: (whole: number) => string;
}

/** `parts` add up to `total`, in quota. */
export function roundedParts<Name extends string>(
  total: number,
  parts: Readonly<Record<Name, number>>,
  display: QuotaDisplay,
): RoundedParts<Name> {
  if (!display.displayInCurrency) {
    const text = (whole: number) => renderQuota(whole, display).replace('-', MINUS);
    return { total, parts: { ...parts }, round: Math.round, text };
  }
  const names = Object.keys(parts) as Name[];
  const largest = Math.max(...[total, ...names.map((name) => parts[name])].map(Math.abs));
  const decimals = moneyDecimals(largest / display.quotaPerUnit);
  const scale = 10 ** decimals;
  const exact = (quota: number) => (quota / display.quotaPerUnit) * scale;
  // Without the negative zero.
  const round = (quota: number) => Math.round(exact(quota)) + 0;
  const rounded: Record<Name, number> = { ...parts };
  for (const name of names) rounded[name] = round(parts[name]);
  let left = names.reduce((rest, name) => rest - rounded[name], round(total));
  while (left !== 0) {
    const step = Math.sign(left);
    const errorOf = (name: Name) => exact(parts[name]) - rounded[name];
    // The part that its own rounding moved furthest the other way.
    const [moved] = names.toSorted((one, other) => step * (errorOf(other) - errorOf(one)));
    if (moved === undefined) break;
    rounded[moved] += step;
    left -= step;
  }
  return {
    total: round(total),
    parts: rounded,
    round,
    text: (whole) => formatMoney(whole / scale, decimals),
  };
}

export function partsText<Name extends string>(
  total: number,
  parts: Readonly<Record<Name, number>>,
  display: QuotaDisplay,
): { total: string; parts: Record<Name, string> } {
  const rounded = roundedParts(total, parts, display);
  const texts = (Object.keys(parts) as Name[]).map((name) => [name, rounded.text(rounded.parts[name])]);
  return { total: rounded.text(rounded.total), parts: Object.fromEntries(texts) as Record<Name, string> };
}
