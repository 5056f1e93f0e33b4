/** A price per million tokens as `$5.00 / $25.00`, or for each call or second. */
import { useTranslation } from 'react-i18next';
import type { UnitPrice } from '#contract/admin/thing-parts.ts';
import { formatMoney } from '#web/ui/format/number.ts';

/** Two digits, and as many of four as a price below ten cents has. */
function decimalsOf(dollars: number): number {
  if (dollars === 0 || dollars >= 0.1) return 2;
  return Math.max(2, dollars.toFixed(4).replace(/0+$/, '').length - 2);
}
const dollarsText = (dollars: number): string => formatMoney(dollars, decimalsOf(dollars));

export function useUnitPriceText(): (price: UnitPrice | null) => string {
  const { t } = useTranslation('thing');
  return (price) => {
    if (price === null) return t('money.unknown');
    if (price.unit === 'tokens') return `${dollarsText(price.input)} / ${dollarsText(price.output)}`;
    return `${dollarsText(price.input)} ${t(`unit.${price.unit}`)}`;
  };
}
