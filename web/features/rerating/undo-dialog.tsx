/** Undoes a run. The users read the reason. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { RERATING_KEY } from './queries.ts';

export function UndoDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('rerating');
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [isChecked, setChecked] = useState(false);
  const isReasonMissing = reason.trim() === '';
  const refusal = useRefusal(['reason']);
  const undo = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.rerating.undo({ params: { id }, body: { reason: reason.trim() } }),
    onSuccess: () => {
      toast.success(t('undo.begun'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: RERATING_KEY }),
  });
  return (
    <DialogFrame title={t('undo.title', { run: id })} onClose={onClose}>
      <form
        noValidate
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (!isReasonMissing && !undo.isPending) undo.mutate();
        }}
      >
        <p className="soft">{t('undo.text')}</p>
        <TextInput
          label={t('undo.reason')}
          value={reason}
          maxLength={500}
          data-autofocus
          error={isChecked && isReasonMissing ? t('create.reasonMissing') : refusal.errorOf('reason')}
          onChange={(event) => {
            setReason(event.currentTarget.value);
            refusal.clear('reason');
          }}
        />
        <RefusalNotice refusal={refusal} />
        <div className="buttons top8">
          <CancelButton />
          <Button type="submit" color="red" loading={undo.isPending}>
            {t('action.undo')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
