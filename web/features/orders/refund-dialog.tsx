/** Refunds an order or a part of it: what leaves the balance is shown before. */
import { NumberInput, Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/orders.refund';
import type { AdminOrderView } from '#contract/money/orders.ts';
import { minorLeft, quotaOfRefund } from '#contract/money/refund-amounts.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { ORDERS_KEY } from './queries.ts';
import classes from './orders.module.css';

interface RefundDialogProps {
  order: AdminOrderView & { refundable_quota: number };
  onClose: () => void;
}

export function RefundDialog({ order, onClose }: RefundDialogProps) {
  const { t } = useTranslation('orders');
  const display = useDisplay();
  const money = useMoneyText();
  const left = minorLeft(order);
  const unit = 10 ** order.currency_digits;
  const form = useForm({
    begin: () => ({ amount_minor: left, reason: '', at_provider: true }),
    limits,
    send: (values, { requestId }) =>
      api.orders.refund({
        params: { id: order.id },
        body: { ...values, reason: values.reason.trim(), request_id: requestId() },
      }),
    onSent: ({ refund_status }) => {
      if (refund_status === 'pending') toast.warning(t('refund.unknown'));
      else toast.success(t('refund.done'));
      onClose();
    },
    refresh: [ORDERS_KEY],
  });
  const { amount_minor: minor, at_provider } = form.values;
  const quota = quotaOfRefund(order, minor);
  const isShort = quota > order.refundable_quota;
  return (
    <FormDialog
      title={t('refund.title')}
      submitLabel={t('action.refund')}
      danger
      disabled={!form.isReady || minor > left || isShort}
      className={`stack12 ${classes.form}`}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <NumberInput
        label={t('refund.amount', { most: money({ ...order, amount_minor: left }) })}
        value={minor / unit}
        min={0}
        max={left / unit}
        decimalScale={order.currency_digits}
        allowNegative={false}
        data-autofocus
        error={form.errorOf('amount_minor')}
        onChange={(value) => form.set('amount_minor', Math.round(Number(value) * unit))}
      />
      <p className={classes.entry} data-short={isShort || undefined}>
        {t(order.plan_id > 0 ? 'refund.plan' : isShort ? 'refund.short' : 'refund.entry', {
          plan: order.plan_name,
          name: order.username,
          amount: renderQuota(quota, display),
          free: renderQuota(order.refundable_quota, display),
        })}
      </p>
      <TextInput {...form.field('reason')} label={t('reason')} />
      <Switch
        {...form.checked('at_provider')}
        label={t('refund.atProvider')}
        description={t(at_provider ? 'refund.paysBack' : 'refund.booksOnly')}
      />
    </FormDialog>
  );
}
