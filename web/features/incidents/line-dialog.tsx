/** Adds a line to an incident. */
import { Switch, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/incidents.addLine';
import type { Incident } from '#contract/admin/incidents.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { INCIDENTS_KEY } from './queries.ts';

export function LineDialog({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { t } = useTranslation('incidents');
  const form = useForm({
    begin: () => ({ text_zh: '', text_en: '', is_over: false }),
    limits,
    problemsOf: ({ text_zh, text_en }) => ({
      text_en: text_zh.trim() === '' && text_en.trim() === '' ? t('problem.text') : undefined,
    }),
    draft: { name: `incident-line:${incident.id}` },
    send: (body) => api.incidents.addLine({ params: { id: incident.id }, body }),
    onSent: () => {
      toast.success(t('done.line'));
      onClose();
    },
    refresh: [INCIDENTS_KEY],
  });
  return (
    <FormDialog
      title={t('action.line')}
      submitLabel={t('form.publish')}
      width={560}
      className="stack14"
      buttons="buttons top2"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('form.either')}</p>
      <Textarea
        {...form.field('text_zh')}
        data-autofocus
        label={t('form.text_zh')}
        autosize
        minRows={2}
        maxRows={8}
      />
      <Textarea {...form.field('text_en')} label={t('form.text_en')} autosize minRows={2} maxRows={8} />
      {incident.kind === 'operator' && incident.ended_at === 0 ? (
        <Switch {...form.checked('is_over')} label={t('form.over')} />
      ) : null}
    </FormDialog>
  );
}
