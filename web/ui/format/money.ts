/** Amounts of a real currency, from its smallest unit, as the reader's language writes them. */
import { useTranslation } from 'react-i18next';

export interface Money {
  amount_minor: number;
  currency: string;
  currency_digits: number;
}

export function moneyText({ amount_minor, currency, currency_digits }: Money, language: string): string {
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const;
  const digits = { minimumFractionDigits: currency_digits, maximumFractionDigits: currency_digits };
  return new Intl.NumberFormat(language, { ...style, ...digits }).format(
    amount_minor / 10 ** currency_digits,
  );
}

export function useMoneyText(): (money: Money) => string {
  const { i18n } = useTranslation();
  return (money) => moneyText(money, i18n.language);
}
