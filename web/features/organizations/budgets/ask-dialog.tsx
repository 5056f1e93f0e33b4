/** Asks for more of a budget: an amount and why; those who manage budgets are notified. */
import { Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/budgets.ask';
import { TAG_VALUE_MAX, type BudgetView } from '#contract/admin/organization-budgets.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { BUDGETS_KEY } from './queries.ts';

export function AskDialog({ budget, onClose }: { budget: BudgetView; onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const { id, name, subject, tag_key, tag_value } = budget;
  const isEach = subject === 'tag' && tag_value === '';
  const form = useForm({
    begin: () => ({ amount: 0, reason: '', value: '' }),
    limits,
    problemsOf: ({ amount, value }) => ({
      amount: amount <= 0 ? t('budgets.problem.amount') : undefined,
      value: isEach && value.trim() === '' ? t('budgets.problem.value') : undefined,
    }),
    send: (body) => api.budgets.ask({ params: { id }, body }),
    onSent: () => {
      toast.success(t('budgets.ask.done'));
      onClose();
    },
    refresh: [BUDGETS_KEY],
  });
  return (
    <FormDialog
      title={t('budgets.ask.title', { name })}
      submitLabel={t('budgets.ask.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('budgets.ask.text')}</p>
      {isEach ? (
        <TextInput {...form.field('value')} label={tag_key} maxLength={TAG_VALUE_MAX} autoComplete="off" />
      ) : null}
      <Field label={t('budgets.column.quota')} {...form.row('amount')} required>
        <QuotaInput
          id={form.idOf('amount')}
          label={t('budgets.column.quota')}
          value={form.values.amount}
          error={form.errorOf('amount') !== undefined}
          onChange={(amount) => form.set('amount', amount)}
        />
      </Field>
      <Textarea {...form.field('reason')} label={t('budgets.ask.reason')} autosize minRows={2} maxRows={6} />
    </FormDialog>
  );
}
