/** Asks for a withdrawal: amount, way, account; the fee is shown before. */
import { Select, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/agents.withdraw';
import type { AgentOverview } from '#contract/money/resellers.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RESELLERS_KEY } from './queries.ts';
import { useMethodName } from './words.ts';

export function WithdrawDialog({ agent, onClose }: { agent: AgentOverview; onClose: () => void }) {
  const { t } = useTranslation('resellers');
  const display = useDisplay();
  const methodName = useMethodName();
  const { balance, withdrawal } = agent;
  const { methods, minimum, fee_percent: percent } = withdrawal;
  const available = { amount: renderQuota(balance, display), minimum: renderQuota(minimum, display) };
  const form = useForm({
    begin: () => ({ quota: balance, method: methods[0] ?? '', account: '' }),
    limits,
    live: ['quota'],
    problemsOf: ({ quota, account }) => ({
      quota:
        quota > balance
          ? t('withdraw.tooMuch', available)
          : quota < minimum
            ? t('withdraw.tooSmall', { amount: available.minimum })
            : undefined,
      account: account.trim() === '' ? t('withdraw.accountRequired') : undefined,
    }),
    send: ({ quota, method, account }, { requestId }) =>
      api.agents.withdraw({ body: { quota, method, account: account.trim(), request_id: requestId() } }),
    onSent: () => {
      toast.success(t('withdraw.done'));
      onClose();
    },
    refresh: [RESELLERS_KEY],
  });
  const { quota } = form.values;
  const fee = Math.round((quota * percent) / 100);
  const amounts = {
    percent,
    fee: renderQuota(fee, display),
    payout: renderQuota(Math.max(0, quota - fee), display),
  };
  return (
    <FormDialog title={t('withdraw.title')} submitLabel={t('withdraw.submit')} form={form} onClose={onClose}>
      <Field
        {...form.row('quota')}
        label={t('withdraw.amount')}
        fact={t('withdraw.available', available)}
        hint={t(percent > 0 ? 'withdraw.fee' : 'withdraw.noFee', amounts)}
      >
        <QuotaInput {...form.control('quota')} label={t('withdraw.amount')} />
      </Field>
      <Select
        {...form.field('method')}
        label={t('withdraw.method')}
        data={methods.map((value) => ({ value, label: methodName(value) }))}
        allowDeselect={false}
      />
      <TextInput
        {...form.field('account')}
        label={t('withdraw.account')}
        description={t('withdraw.accountHint')}
        autoComplete="off"
      />
    </FormDialog>
  );
}
