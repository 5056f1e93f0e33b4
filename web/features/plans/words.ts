/** Prices, durations and quotas of plans in words. */
import { useTranslation } from 'react-i18next';
import { periodsIn } from '#contract/money/plan-schedule.ts';
import type { PlanOffer } from '#contract/money/plans.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';

type Priced = Pick<PlanOffer, 'price_minor' | 'price_quota' | 'currency' | 'currency_digits'>;
type Timed = Pick<PlanOffer, 'duration_unit' | 'duration_count'>;
type Granted = Pick<PlanOffer, 'quota' | 'reset'>;

export function usePlanWords() {
  const { t } = useTranslation('plans');
  const display = useDisplay();
  const money = useMoneyText();
  const moneyOf = ({ price_minor, currency, currency_digits }: Priced) =>
    money({ amount_minor: price_minor, currency, currency_digits });
  const quotaOf = (quota: number) => renderQuota(quota, display);
  return {
    quotaOf,
    moneyOf,
    /** One text for each way to pay. */
    prices: (plan: Priced): string[] => [
      ...(plan.price_minor > 0 ? [moneyOf(plan)] : []),
      ...(plan.price_quota > 0 ? [t('price.balance', { amount: quotaOf(plan.price_quota) })] : []),
    ],
    duration: ({ duration_unit, duration_count: count }: Timed) => t(`duration.${duration_unit}`, { count }),
    /** What all periods grant together; undefined when there is only one. */
    worth: (plan: Granted & Timed): string | undefined => {
      const { periods, isExact } = periodsIn(plan);
      if (periods === 1) return undefined;
      return t(isExact ? 'worth.exact' : 'worth.about', { amount: quotaOf(plan.quota * periods) });
    },
    quota: ({ quota, reset }: Granted) => t(`quota.${reset}`, { amount: quotaOf(quota) }),
  };
}
