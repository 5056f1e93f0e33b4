/** A sum and its parts as they are shown: the parts are rounded so that they still add up to the rounded sum. */
import {
  formatMoney,
  MINUS,
  moneyDecimals,
  renderQuota,
  type QuotaDisplay,
} from '#contract/money/quota-text.ts';

/** `parts` add up to `total`, in quota. */
export function partsText<Name extends string>(
  total: number,
  parts: Readonly<Record<Name, number>>,
  display: QuotaDisplay,
): { total: string; parts: Record<Name, string> } {
  const names = Object.keys(parts) as Name[];
  const textsOf = (textOf: (name: Name) => string) =>
    Object.fromEntries(names.map((name) => [name, textOf(name)])) as Record<Name, string>;
  if (!display.displayInCurrency) {
    const text = (quota: number) => renderQuota(quota, display).replace('-', MINUS);
    return { total: text(total), parts: textsOf((name) => text(parts[name])) };
  }
  const largest = Math.max(...[total, ...names.map((name) => parts[name])].map(Math.abs));
  const decimals = moneyDecimals(largest / display.quotaPerUnit);
  const scale = 10 ** decimals;
  const exact = (quota: number) => (quota / display.quotaPerUnit) * scale;
  const whole = new Map(names.map((name) => [name, Math.round(exact(parts[name]))]));
  const errorOf = (name: Name) => exact(parts[name]) - (whole.get(name) ?? 0);
  let left = names.reduce((rest, name) => rest - (whole.get(name) ?? 0), Math.round(exact(total)));
  while (left !== 0) {
    const step = Math.sign(left);
    // The part that its own rounding moved furthest the other way.
    const [moved] = names.toSorted((one, other) => step * (errorOf(other) - errorOf(one)));
    if (moved === undefined) break;
    whole.set(moved, (whole.get(moved) ?? 0) + step);
    left -= step;
  }
  const text = (amount: number) => formatMoney(amount / scale, decimals);
  return { total: text(Math.round(exact(total))), parts: textsOf((name) => text(whole.get(name) ?? 0)) };
}
