/** The refunds of an order. One whose outcome the provider did not say is ended here. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView, RefundView } from '#contract/money/orders.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { EndRefundDialog } from './end-refund-dialog.tsx';
import classes from './orders.module.css';

export function Refunds({ order, refunds }: { order: AdminOrderView; refunds: readonly RefundView[] }) {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  const [ending, setEnding] = useState<RefundView>();
  if (refunds.length === 0) return null;
  return (
    <>
      <ul className={`stack4 size12 ${classes.refunds}`} aria-label={t('refunds')}>
        {refunds.map((refund) => (
          <li key={refund.id}>
            <Moment timestamp={refund.created_at} absolute />
            <b>{money({ ...order, amount_minor: refund.amount_minor })}</b>
            <span>
              {t(
                `refundStatus.${refund.status === 'pending' && refund.is_accepted ? 'accepted' : refund.status}`,
              )}
            </span>
            <span>{refund.reason}</span>
            {refund.can_end ? (
              <Button variant="default" size="compact-sm" onClick={() => setEnding(refund)}>
                {t('action.endRefund')}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {ending ? <EndRefundDialog order={order} refund={ending} onClose={() => setEnding(undefined)} /> : null}
    </>
  );
}
