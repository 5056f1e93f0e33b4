/** Completes an order by hand: the ledger row that follows is shown before. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/orders.complete';
import type { AdminOrderView } from '#contract/money/orders.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { ORDERS_KEY } from './queries.ts';
import classes from './orders.module.css';

export function CompleteDialog({ order, onClose }: { order: AdminOrderView; onClose: () => void }) {
  const { t } = useTranslation('orders');
  const display = useDisplay();
  const form = useForm({
    begin: () => ({ reason: '' }),
    limits,
    send: ({ reason }) => api.orders.complete({ params: { id: order.id }, body: { reason: reason.trim() } }),
    onSent: () => {
      toast.success(t('complete.done'));
      onClose();
    },
    refresh: [ORDERS_KEY],
  });
  return (
    <FormDialog
      title={t('complete.title')}
      submitLabel={t('action.complete')}
      disabled={!form.isReady}
      className=""
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className={classes.entry}>
        {t(order.plan_id > 0 ? 'complete.plan' : 'complete.entry', {
          name: order.username,
          plan: order.plan_name,
          amount: renderQuota(order.quota, display),
        })}
      </p>
      <TextInput {...form.field('reason')} label={t('reason')} data-autofocus />
    </FormDialog>
  );
}
