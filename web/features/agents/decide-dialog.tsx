/** One decision about a withdrawal; what follows from it is shown before. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminWithdrawalView, WithdrawalAction } from '#contract/money/resellers.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { AGENTS_KEY } from './queries.ts';
import { useMethodName } from './words.ts';

export interface OpenDecision {
  row: AdminWithdrawalView;
  action: WithdrawalAction;
}

const NOTES = { approve: 'note', pay: 'reference', refuse: 'reason' } as const;

export function DecideDialog({ row, action, onClose }: OpenDecision & { onClose: () => void }) {
  const { t } = useTranslation('agents');
  const client = useQueryClient();
  const display = useDisplay();
  const methodName = useMethodName();
  const [note, setNote] = useState('');
  const isReady = action !== 'refuse' || note.trim() !== '';
  const decide = useMutation({
    meta: { silent: true },
    mutationFn: () => api.agents.decide({ params: { id: row.id }, body: { action, note: note.trim() } }),
    onSuccess: () => {
      toast.success(t('decide.done'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: AGENTS_KEY }),
  });
  return (
    <DialogFrame title={t(`decide.${action}Title`)} onClose={onClose}>
      <form
        noValidate
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) decide.mutate();
        }}
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
        <TextInput
          label={t(`decide.${NOTES[action]}`)}
          value={note}
          maxLength={200}
          data-autofocus
          error={decide.error ? errorMessage(decide.error) : undefined}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <div className="buttons top4">
          <CancelButton />
          <Button
            type="submit"
            color={action === 'refuse' ? 'red' : undefined}
            disabled={!isReady}
            loading={decide.isPending}
          >
            {t(`decide.${action}`)}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
