/** What a deletion takes from an account: balance, invite earnings, plans, and orders that may still be paid. */
import { useTranslation } from 'react-i18next';
import type { AccountLeft } from '#contract/admin/users.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import classes from '#web/ui/format/format.module.css';

export function AccountLeftList({ left }: { left: AccountLeft }) {
  const { t } = useTranslation('ui');
  const display = useDisplay();
  const money = useMoneyText();
  const amount = (quota: number) => renderQuota(quota, display);
  return (
    <ul className={classes.left}>
      <li>{t('left.balance', { amount: amount(left.quota) })}</li>
      {left.aff_quota > 0 ? <li>{t('left.invites', { amount: amount(left.aff_quota) })}</li> : null}
      {left.plans.map((plan, index) => (
        // Plans of one name may be there twice.
        <li key={`${plan.plan_name} ${index}`}>
          {t('left.plan', { name: plan.plan_name, amount: amount(plan.left) })}
        </li>
      ))}
      {left.open_orders.map((order) => (
        <li key={order.trade_no}>{t('left.order', { order: order.trade_no, amount: money(order) })}</li>
      ))}
    </ul>
  );
}
