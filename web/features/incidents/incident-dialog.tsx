/** Writes or changes an operator's incident. */
import { Anchor, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/incidents.create';
import { unavailableTitle } from '#contract/admin/incident-words.ts';
import type { Incident } from '#contract/admin/incidents.ts';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { INCIDENTS_KEY } from './queries.ts';
import classes from './incidents.module.css';

interface IncidentDialogProps {
  /** Undefined: a new one. */
  incident: Incident | undefined;
  /** What a new one begins with. */
  about?: { models: string[]; begun_at: number | undefined };
  /** It goes on and has the same models. */
  running?: Incident | undefined;
  onClose: () => void;
  onSaved?: (incident: Incident) => void;
  onRunning?: (incident: Incident) => void;
}

const timeText = (time: number) => (time === 0 ? '' : absoluteTime(time));
const isTime = (text: string) => text.trim() === '' || parseTime(text) !== undefined;
const timeOf = (text: string) => (text.trim() === '' ? 0 : (parseTime(text) ?? 0));

const NO_TITLE = { zh: '', en: '' };

const titleOf = (models: readonly string[]) =>
  models.length === 0 ? NO_TITLE : unavailableTitle(models, false);

const valuesOf = (incident: Incident | undefined, about: IncidentDialogProps['about']) => ({
  title_zh: incident?.title_zh ?? titleOf(about?.models ?? []).zh,
  title_en: incident?.title_en ?? titleOf(about?.models ?? []).en,
  text_zh: '',
  text_en: '',
  models: incident?.models ?? about?.models ?? [],
  begun_at: timeText(incident?.begun_at ?? about?.begun_at ?? unixSeconds()),
  ended_at: timeText(incident?.ended_at ?? 0),
});
type Values = ReturnType<typeof valuesOf>;

const LABELS = {
  title_zh: 'form.title_zh',
  title_en: 'form.title_en',
  text_zh: 'form.text_zh',
  text_en: 'form.text_en',
  models: 'form.models',
  begun_at: 'form.begun',
  ended_at: 'form.ended',
} as const satisfies Record<keyof Values, string>;

const fieldsOf = ({ title_zh, title_en, models, begun_at, ended_at }: Values) => ({
  title_zh,
  title_en,
  models,
  begun_at: timeOf(begun_at),
  ended_at: timeOf(ended_at),
});

const isBlank = (...texts: string[]) => texts.every((text) => text.trim() === '');

export function IncidentDialog(props: IncidentDialogProps) {
  const { incident, about, running, onClose, onSaved, onRunning } = props;
  const { t } = useTranslation('incidents');
  // A refetch must not change what is saved.
  const [loaded] = useState(incident);
  const form = useForm<Values, Incident>({
    begin: () => valuesOf(loaded, about),
    limits,
    checksOnLeave: 'always',
    problemsOf: (values) => {
      const [begin, end] = [timeOf(values.begun_at), timeOf(values.ended_at)];
      const endProblem = isTime(values.ended_at) ? end > 0 && end <= begin && 'order' : 'time';
      return {
        title_en: isBlank(values.title_zh, values.title_en) ? t('problem.title') : undefined,
        text_en:
          loaded === undefined && isBlank(values.text_zh, values.text_en) ? t('problem.text') : undefined,
        begun_at: begin === 0 ? t('problem.time') : undefined,
        ended_at: endProblem === false ? undefined : t(`problem.${endProblem}`),
      };
    },
    // A draft of something else must not replace what the form was opened with.
    draft: { name: `incident:${loaded?.id ?? ['new', ...(about?.models ?? [])].join(' ')}` },
    send: (values, { initial, base }) => {
      const fields = fieldsOf(values);
      if (loaded === undefined)
        return api.incidents.create({
          body: { ...fields, text_zh: values.text_zh, text_en: values.text_en },
        });
      const based_on = baseOf({ view: loaded, initial: fieldsOf(initial), base: fieldsOf(base) });
      return saveOnBase({
        body: { ...fields, based_on },
        send: (sent) => api.incidents.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof Values]) : field),
      });
    },
    onSent: (saved) => {
      toast.success(t('done.saved'));
      onSaved?.(saved);
      onClose();
    },
    refresh: [INCIDENTS_KEY],
  });
  const { values } = form;
  return (
    <FormDialog
      title={t(loaded ? 'action.edit' : 'action.write')}
      submitLabel={t(loaded ? 'form.save' : 'form.publish')}
      width={620}
      className="stack14"
      buttons="buttons top2"
      form={form}
      onClose={onClose}
    >
      {running === undefined ? null : (
        <NoticeBox tone="info">
          {t('running.text')}{' '}
          <Anchor component="button" type="button" inherit onClick={() => onRunning?.(running)}>
            {t('running.open')}
          </Anchor>
        </NoticeBox>
      )}
      <p className="soft">{t('form.either')}</p>
      <div className={classes.pair}>
        <TextInput {...form.field('title_zh')} data-autofocus label={t('form.title_zh')} />
        <TextInput {...form.field('title_en')} label={t('form.title_en')} />
      </div>
      {loaded === undefined ? (
        <div className={classes.pair}>
          <Textarea {...form.field('text_zh')} label={t('form.text_zh')} autosize minRows={2} maxRows={8} />
          <Textarea {...form.field('text_en')} label={t('form.text_en')} autosize minRows={2} maxRows={8} />
        </div>
      ) : null}
      <TagsInput
        label={t('form.models')}
        placeholder={values.models.length === 0 ? t('form.modelsHint') : ''}
        value={values.models}
        onChange={(names) => form.set('models', names)}
      />
      <div className={classes.pair}>
        <TextInput {...form.field('begun_at')} label={t('form.begun')} autoComplete="off" />
        <TextInput
          {...form.field('ended_at')}
          label={t('form.ended')}
          placeholder={t('form.open')}
          autoComplete="off"
        />
      </div>
    </FormDialog>
  );
}
