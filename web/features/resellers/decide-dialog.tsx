/** One decision about a withdrawal; what follows from it is shown before. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/agents.decide';
import type { AdminWithdrawalView, WithdrawalAction } from '#contract/money/resellers.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { RESELLERS_KEY } from './queries.ts';
import { useMethodName } from './words.ts';

export interface OpenDecision {
  row: AdminWithdrawalView;
  action: WithdrawalAction;
}

const NOTES = { approve: 'note', pay: 'reference', refuse: 'reason' } as const;

export function DecideDialog({ row, action, onClose }: OpenDecision & { onClose: () => void }) {
  const { t } = useTranslation('resellers');
  const display = useDisplay();
  const methodName = useMethodName();
  const form = useForm({
    begin: () => ({ note: '' }),
    limits,
    send: ({ note }) => api.agents.decide({ params: { id: row.id }, body: { action, note: note.trim() } }),
    onSent: () => {
      toast.success(t('decide.done'));
      onClose();
    },
    refresh: [RESELLERS_KEY],
  });
  return (
    <FormDialog
      title={t(`decide.${action}Title`)}
      submitLabel={t(`decide.${action}`)}
      danger={action === 'refuse'}
      disabled={action === 'refuse' && form.values.note.trim() === ''}
      form={form}
      onClose={onClose}
    >
      <p className="soft anywhere">
        {t(`decide.${action}Text`, {
          name: row.username,
          amount: renderQuota(row.quota, display),
          payout: renderQuota(row.quota - row.fee_quota, display),
          method: methodName(row.method),
          account: row.account,
        })}
      </p>
      <TextInput {...form.field('note')} label={t(`decide.${NOTES[action]}`)} data-autofocus />
    </FormDialog>
  );
}
