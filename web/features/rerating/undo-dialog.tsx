/** Undoes a run. The users read the reason. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/rerating.undo';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RERATING_KEY } from './queries.ts';

export function UndoDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('rerating');
  const form = useForm({
    begin: () => ({ reason: '' }),
    limits,
    problemsOf: ({ reason }) => (reason.trim() === '' ? { reason: t('create.reasonMissing') } : {}),
    send: ({ reason }) => api.rerating.undo({ params: { id }, body: { reason: reason.trim() } }),
    onSent: () => {
      toast.success(t('undo.begun'));
      onClose();
    },
    refresh: [RERATING_KEY],
  });
  return (
    <FormDialog
      title={t('undo.title', { run: id })}
      submitLabel={t('action.undo')}
      danger
      buttons="buttons top8"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('undo.text')}</p>
      <TextInput {...form.field('reason')} label={t('undo.reason')} data-autofocus />
    </FormDialog>
  );
}
