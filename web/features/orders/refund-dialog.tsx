/** Refunds an order or a part of it: what leaves the balance is shown before. */
import { Button, NumberInput, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '#contract/money/orders.ts';
import { minorLeft, quotaOfRefund } from '#contract/money/refund-amounts.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { ORDERS_KEY } from './queries.ts';
import classes from './orders.module.css';

interface RefundDialogProps {
  order: AdminOrderView & { refundable_quota: number };
  onClose: () => void;
}

export function RefundDialog({ order, onClose }: RefundDialogProps) {
  const { t } = useTranslation('orders');
  const client = useQueryClient();
  const display = useDisplay();
  const money = useMoneyText();
  const left = minorLeft(order);
  const unit = 10 ** order.currency_digits;
  const [minor, setMinor] = useState(left);
  const [reason, setReason] = useState('');
  const [atProvider, setAtProvider] = useState(true);
  // The same attempt, sent twice, is one refund.
  const [requestId] = useState(() => crypto.randomUUID());
  const quota = quotaOfRefund(order, minor);
  const isShort = quota > order.refundable_quota;
  const isReady = minor > 0 && minor <= left && !isShort && reason.trim() !== '';
  const refund = useMutation({
    meta: { silent: true },
    mutationFn: () =>
      api.orders.refund({
        params: { id: order.id },
        body: { amount_minor: minor, reason: reason.trim(), at_provider: atProvider, request_id: requestId },
      }),
    onSuccess: ({ refund_status }) => {
      if (refund_status === 'pending') toast.warning(t('refund.unknown'));
      else toast.success(t('refund.done'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS_KEY }),
  });
  return (
    <DialogFrame title={t('refund.title')} onClose={onClose}>
      <form
        noValidate
        className={`stack12 ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) refund.mutate();
        }}
      >
        <NumberInput
          label={t('refund.amount', { most: money({ ...order, amount_minor: left }) })}
          value={minor / unit}
          min={0}
          max={left / unit}
          decimalScale={order.currency_digits}
          allowNegative={false}
          data-autofocus
          onChange={(value) => setMinor(Math.round(Number(value) * unit))}
        />
        <p className={classes.entry} data-short={isShort || undefined}>
          {t(order.plan_id > 0 ? 'refund.plan' : isShort ? 'refund.short' : 'refund.entry', {
            plan: order.plan_name,
            name: order.username,
            amount: renderQuota(quota, display),
            free: renderQuota(order.refundable_quota, display),
          })}
        </p>
        <TextInput
          label={t('reason')}
          value={reason}
          maxLength={200}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Switch
          checked={atProvider}
          label={t('refund.atProvider')}
          description={t(atProvider ? 'refund.paysBack' : 'refund.booksOnly')}
          onChange={(event) => setAtProvider(event.currentTarget.checked)}
        />
        {refund.error ? (
          <p role="alert" className={classes.problem}>
            {errorMessage(refund.error)}
          </p>
        ) : null}
        <div className="buttons-below">
          <CancelButton />
          <Button type="submit" color="red" disabled={!isReady} loading={refund.isPending}>
            {t('action.refund')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
