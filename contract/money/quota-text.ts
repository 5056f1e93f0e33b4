// Amounts as text, the same in the console and in the names the server makes: k, M and B from 10,000; quota as currency
// where that is switched on.

export interface QuotaDisplay {
  quotaPerUnit: number;
  displayInCurrency: boolean;
}

/** How the installation shows amounts, from its settings. */
export const quotaDisplayOf = (settings: {
  QuotaPerUnit: number;
  DisplayInCurrencyEnabled: boolean;
}): QuotaDisplay => ({
  quotaPerUnit: settings.QuotaPerUnit,
  displayInCurrency: settings.DisplayInCurrencyEnabled,
});

export const CURRENCY_SIGN = '$';

/** The typographic minus: as wide as the plus. */
export const MINUS = '−';

const STEPS = [
  { from: 1_000_000_000, by: 1_000_000_000, sign: 'B' },
  { from: 1_000_000, by: 1_000_000, sign: 'M' },
  { from: 10_000, by: 1_000, sign: 'k' },
] as const;

/** One decimal, never rounded up into the next step (999,999 is 999.9k, not 1000.0k). */
export function shortNumber(value: number): { digits: string; unit: string } {
  const size = Math.abs(value);
  const step = STEPS.find((candidate) => size >= candidate.from);
  if (!step) return { digits: groupDigits(value), unit: '' };
  const tenths = Math.floor((size * 10) / step.by);
  return { digits: `${value < 0 ? MINUS : ''}${(tenths / 10).toFixed(1)}`, unit: step.sign };
}

export function renderNumber(value: number): string {
  const { digits, unit } = shortNumber(value);
  return digits + unit;
}

/** Thousands separators and no rounding: for tooltips and fields. */
export function groupDigits(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/**
 * Decimals that keep a small amount readable: two from 0.01 on, up to six below, so that one unit of quota
 * ($0.000002) is never shown as nothing.
 */
export function moneyDecimals(money: number): number {
  const size = Math.abs(money);
  if (size === 0 || size >= 0.01) return 2;
  return size >= 0.0001 ? 4 : 6;
}

export function formatMoney(money: number, decimals = moneyDecimals(money)): string {
  const digits = Math.abs(money).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return `${money < 0 ? MINUS : ''}${CURRENCY_SIGN}${digits}`;
}

export function renderQuota(quota: number, display: QuotaDisplay, decimals?: number): string {
  if (!display.displayInCurrency) return renderNumber(quota);
  return formatMoney(quota / display.quotaPerUnit, decimals);
}
