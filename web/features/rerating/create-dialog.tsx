/** Begins a dry run: the version, the range and which calls. */
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/rerating.create';
import type { RerateRun } from '#contract/money/rerating.ts';
import { DAY_SECONDS, HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { hourText } from './cells.tsx';
import { RERATING_KEY, reratingQueries } from './queries.ts';
import classes from './rerating.module.css';

const hourBefore = (timestamp: number) => timestamp - (timestamp % HOUR_SECONDS);
const listOf = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Whole hours of UTC: a range that is typed in minutes grows to the hours around it. */
function rangeOf({ from, to }: { from: string; to: string }) {
  const start = parseTime(from);
  const stop = parseTime(to);
  return {
    from_at: start === undefined ? undefined : hourBefore(start),
    to_at: stop === undefined ? undefined : hourBefore(stop + HOUR_SECONDS - 1),
  };
}

function stopProblem({ from_at, to_at }: ReturnType<typeof rangeOf>, end: number) {
  if (to_at === undefined) return 'invalid';
  if (from_at === undefined) return undefined;
  if (to_at <= from_at) return 'order';
  return to_at > end ? 'open' : undefined;
}

interface CreateDialogProps {
  onClose: () => void;
  onCreated: (run: RerateRun) => void;
}

export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const { t } = useTranslation('rerating');
  const versions = useQuery(reratingQueries.versions());
  const [end] = useState(() => hourBefore(unixSeconds()));
  const newest = String(versions.data?.[0]?.id ?? 0);
  const form = useForm({
    begin: () => ({
      version: '',
      charged: '0',
      from: absoluteTime(end - DAY_SECONDS),
      to: absoluteTime(end),
      models: '',
      groups: '',
      reason: '',
    }),
    limits,
    live: ['from', 'to'],
    problemsOf: (values) => {
      const range = rangeOf(values);
      const problem = stopProblem(range, end);
      return {
        from: range.from_at === undefined ? t('create.invalid') : undefined,
        to: problem && t(`create.${problem}`),
        reason: values.reason.trim() === '' ? t('create.reasonMissing') : undefined,
      };
    },
    send: (values) => {
      const { from_at = 0, to_at = 0 } = rangeOf(values);
      return api.rerating.create({
        body: {
          from_at,
          to_at,
          version_id: Number(values.version || newest),
          charged_version: Number(values.charged),
          models: listOf(values.models),
          groups: listOf(values.groups),
          reason: values.reason.trim(),
        },
      });
    },
    onSent: (run) => {
      toast.success(t('create.begun'));
      onCreated(run);
      onClose();
    },
    refresh: [RERATING_KEY],
  });
  const options = (versions.data ?? []).map(({ id, effective_at, reason: why }) => ({
    value: String(id),
    label: t('version.option', {
      id,
      time: hourText(effective_at),
      reason: why === '' ? '' : ` · ${why.slice(0, 60)}`,
    }),
  }));
  const { values } = form;
  const range = rangeOf(values);
  const isReady = range.from_at !== undefined && stopProblem(range, end) === undefined && newest !== '0';
  return (
    <FormDialog
      title={t('create.title')}
      submitLabel={t('create.submit')}
      disabled={!isReady}
      buttons="buttons top8"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('create.text')}</p>
      <NativeSelect
        {...form.field('version')}
        label={t('create.version')}
        data={options}
        value={values.version || newest}
        data-autofocus
      />
      <div className={classes.pair}>
        <TextInput {...form.field('from')} label={t('create.from')} />
        <TextInput {...form.field('to')} label={t('create.to')} />
      </div>
      <TextInput {...form.field('models')} label={t('create.models')} placeholder={t('create.several')} />
      <TextInput {...form.field('groups')} label={t('create.groups')} placeholder={t('create.several')} />
      <NativeSelect
        {...form.field('charged')}
        label={t('create.charged')}
        data={[{ value: '0', label: t('version.any') }, ...options]}
      />
      <TextInput {...form.field('reason')} label={t('create.reason')} />
    </FormDialog>
  );
}
