/** Completes an order by hand: the ledger row that follows is shown before. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '#contract/money/orders.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { ORDERS_KEY } from './queries.ts';
import classes from './orders.module.css';

export function CompleteDialog({ order, onClose }: { order: AdminOrderView; onClose: () => void }) {
  const { t } = useTranslation('orders');
  const client = useQueryClient();
  const display = useDisplay();
  const [reason, setReason] = useState('');
  const complete = useMutation({
    meta: { silent: true },
    mutationFn: () => api.orders.complete({ params: { id: order.id }, body: { reason: reason.trim() } }),
    onSuccess: () => {
      toast.success(t('complete.done'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS_KEY }),
  });
  return (
    <DialogFrame title={t('complete.title')} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() !== '') complete.mutate();
        }}
      >
        <p className={classes.entry}>
          {t(order.plan_id > 0 ? 'complete.plan' : 'complete.entry', {
            name: order.username,
            plan: order.plan_name,
            amount: renderQuota(order.quota, display),
          })}
        </p>
        <TextInput
          label={t('reason')}
          value={reason}
          maxLength={200}
          data-autofocus
          error={complete.error ? errorMessage(complete.error) : undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className="buttons-below">
          <CancelButton />
          <Button type="submit" disabled={reason.trim() === ''} loading={complete.isPending}>
            {t('action.complete')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
