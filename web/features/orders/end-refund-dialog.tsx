/** Ends a refund with an unknown outcome, by what the administrator saw at the provider. */
import { Button, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView, RefundView } from '#contract/money/orders.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { ORDERS_KEY } from './queries.ts';
import classes from './orders.module.css';

interface EndRefundDialogProps {
  order: AdminOrderView;
  refund: RefundView;
  onClose: () => void;
}

export function EndRefundDialog({ order, refund, onClose }: EndRefundDialogProps) {
  const { t } = useTranslation('orders');
  const client = useQueryClient();
  const display = useDisplay();
  const money = useMoneyText();
  const [answer, setAnswer] = useState('');
  const [reason, setReason] = useState('');
  const isReady = answer !== '' && reason.trim() !== '';
  const end = useMutation({
    meta: { silent: true },
    mutationFn: () =>
      api.orders.endRefund({
        params: { id: order.id },
        body: { refund_id: refund.id, is_paid_back: answer === 'paid', reason: reason.trim() },
      }),
    onSuccess: () => {
      toast.success(t('endRefund.done'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS_KEY }),
  });
  const amount = money({ ...order, amount_minor: refund.amount_minor });
  const quota = renderQuota(refund.quota, display);
  return (
    <DialogFrame title={t('endRefund.title')} onClose={onClose}>
      <form
        noValidate
        className={`stack12 ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) end.mutate();
        }}
      >
        <p className={classes.entry}>{t('endRefund.text', { amount, order: order.trade_no })}</p>
        <Radio.Group label={t('endRefund.question')} value={answer} onChange={setAnswer}>
          <Stack gap={8} mt={6}>
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
          </Stack>
        </Radio.Group>
        <TextInput
          label={t('reason')}
          value={reason}
          maxLength={200}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {end.error ? (
          <p role="alert" className={classes.problem}>
            {errorMessage(end.error)}
          </p>
        ) : null}
        <div className="buttons-below">
          <CancelButton />
          <Button type="submit" disabled={!isReady} loading={end.isPending}>
            {t('action.endRefund')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
