/** Prices as people read them. */
import { useTranslation } from 'react-i18next';
import type { PriceFigures } from '#contract/money/price-book-views.ts';

/** Enough digits for the cheapest model, none to spare. */
export function dollarText(value: number): string {
  const decimals = value !== 0 && Math.abs(value) < 1 ? 4 : 2;
  return `$${value.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

export function FiguresText({ figures }: { figures: PriceFigures | null }) {
  const { t } = useTranslation('price-book');
  if (figures === null) return <span>{t('review.free')}</span>;
  if (figures.per_call !== undefined)
    return <span>{t('running.perCall', { price: dollarText(figures.per_call) })}</span>;
  if (figures.per_second !== undefined)
    return <span>{t('running.perSecond', { price: dollarText(figures.per_second) })}</span>;
  const { input = 0, output = input } = figures;
  return <span>{t('review.perMillion', { input: dollarText(input), output: dollarText(output) })}</span>;
}
