/** Ends a refund with an unknown outcome, by what the administrator saw at the provider. */
import { Radio, TextInput } from '@mantine/core';
import '@mantine/core/styles/Radio.layer.css';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/orders.endRefund';
import type { AdminOrderView, RefundView } from '#contract/money/orders.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { ORDERS_KEY } from './queries.ts';
import classes from './orders.module.css';

interface EndRefundDialogProps {
  order: AdminOrderView;
  refund: RefundView;
  onClose: () => void;
}

export function EndRefundDialog({ order, refund, onClose }: EndRefundDialogProps) {
  const { t } = useTranslation('orders');
  const display = useDisplay();
  const money = useMoneyText();
  const form = useForm({
    begin: () => ({ answer: '', reason: '' }),
    limits,
    send: ({ answer, reason }) =>
      api.orders.endRefund({
        params: { id: order.id },
        body: { refund_id: refund.id, is_paid_back: answer === 'paid', reason: reason.trim() },
      }),
    onSent: () => {
      toast.success(t('endRefund.done'));
      onClose();
    },
    refresh: [ORDERS_KEY],
  });
  const amount = money({ ...order, amount_minor: refund.amount_minor });
  const quota = renderQuota(refund.quota, display);
  return (
    <FormDialog
      title={t('endRefund.title')}
      submitLabel={t('action.endRefund')}
      disabled={!form.isReady || form.values.answer === ''}
      className={`stack12 ${classes.form}`}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className={classes.entry}>{t('endRefund.text', { amount, order: order.trade_no })}</p>
      <Radio.Group {...form.field('answer')} label={t('endRefund.question')}>
        <div className="stack8 top4">
          <Radio
            value="paid"
            label={t('endRefund.paid')}
            description={t('endRefund.paidMeans')}
            data-autofocus
          />
          <Radio
            value="unpaid"
            label={t('endRefund.unpaid')}
            description={
              order.plan_name === ''
                ? t('endRefund.unpaidMeans', { quota, name: order.username })
                : t('endRefund.planAgain', { plan: order.plan_name })
            }
          />
        </div>
      </Radio.Group>
      <TextInput {...form.field('reason')} label={t('reason')} />
    </FormDialog>
  );
}
