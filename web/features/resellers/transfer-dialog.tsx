/** Moves dividends to the balance. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { selfQuery } from '#web/api/queries.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RESELLERS_KEY } from './queries.ts';

export function TransferDialog({ balance, onClose }: { balance: number; onClose: () => void }) {
  const { t } = useTranslation('resellers');
  const display = useDisplay();
  const available = { amount: renderQuota(balance, display) };
  const form = useForm({
    begin: () => ({ quota: balance }),
    live: ['quota'],
    problemsOf: ({ quota }) => ({
      quota:
        quota > balance ? t('transfer.tooMuch', available) : quota === 0 ? t('transfer.tooSmall') : undefined,
    }),
    send: ({ quota }, { requestId }) => api.agents.transfer({ body: { quota, request_id: requestId() } }),
    onSent: (_moved, { quota }) => {
      toast.success(t('transfer.done', { amount: renderQuota(quota, display) }));
      onClose();
    },
    refresh: [RESELLERS_KEY, selfQuery.queryKey],
  });
  return (
    <FormDialog
      title={t('transfer.title')}
      submitLabel={t('transfer.submit')}
      aside={
        <Button variant="subtle" onClick={() => form.set('quota', balance)}>
          {t('transfer.all')}
        </Button>
      }
      form={form}
      onClose={onClose}
    >
      <Field
        {...form.row('quota')}
        label={t('transfer.amount')}
        fact={t('transfer.available', available)}
        hint={t('transfer.hint')}
      >
        <QuotaInput {...form.control('quota')} label={t('transfer.amount')} />
      </Field>
    </FormDialog>
  );
}
