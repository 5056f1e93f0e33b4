// Numbers and prices as the pages write them.
import type { Language } from '#contract/language.ts';

const MOST_DECIMALS = 8;

/** Two decimals at least, as many as the price has at most. */
export function digitsOf(value: number): string {
  const [whole = '0', decimals = ''] = value.toFixed(MOST_DECIMALS).split('.');
  const text = `${grouped(whole)}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
  // At most eight decimals; smaller prices keep one significant digit.
  return value > 0 && Number(text.replaceAll(',', '')) === 0 ? value.toPrecision(1) : text;
}

export const dollars = (value: number): string => `$${digitsOf(value)}`;

/** An amount that was computed: cents from a dollar up, four significant digits below. */
export function amount(value: number): string {
  if (value === 0 || value >= 1) return `$${grouped(value.toFixed(2))}`;
  return `$${Number(value.toPrecision(4)).toFixed(8).replace(/0+$/, '').padEnd(4, '0')}`;
}

export const grouped = (text: string): string => text.replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');

/** Tokens of a context, as the console writes them: 131,072 → 131k, 1,050,000 → 1.05M. */
export function short(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(2))}M`;
  return value >= 1000 ? `${Math.round(value / 1000)}k` : String(value);
}

/** How many decimals the price needs that needs most. */
export const decimalsOf = (values: readonly number[]): number =>
  Math.max(0, ...values.map((value) => digitsOf(value).split('.')[1]?.length ?? 0));

export const percent = (share: number, decimals = 1): string => (share * 100).toFixed(decimals);

export function dateOf(unixSeconds: number, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    dateStyle: 'medium',
    timeZone: timeZone || 'UTC',
  }).format(unixSeconds * 1000);
}

export function money(value: number, currency: string, language: Language): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    // At least those of the currency: ¥7.30.
    maximumFractionDigits: 4,
  }).format(value);
}
