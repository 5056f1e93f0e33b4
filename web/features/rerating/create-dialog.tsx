/** Begins a dry run: the version, the range and which calls. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RERATE_HOUR, type RerateRun } from '#contract/money/rerating.ts';
import { api } from '#web/api.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime, nowSeconds, parseTime } from '#web/ui/format/time.ts';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { hourText } from './cells.tsx';
import { RERATING_KEY, reratingQueries } from './queries.ts';
import classes from './rerating.module.css';

const DAY = 24 * RERATE_HOUR;
const hourBefore = (timestamp: number) => timestamp - (timestamp % RERATE_HOUR);
const listOf = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

interface CreateDialogProps {
  onClose: () => void;
  onCreated: (run: RerateRun) => void;
}

export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const { t } = useTranslation('rerating');
  const client = useQueryClient();
  const versions = useQuery(reratingQueries.versions());
  const [end] = useState(() => hourBefore(nowSeconds()));
  const [version, setVersion] = useState('');
  const [charged, setCharged] = useState('0');
  const [from, setFrom] = useState(() => absoluteTime(end - DAY));
  const [to, setTo] = useState(() => absoluteTime(end));
  const [models, setModels] = useState('');
  const [groups, setGroups] = useState('');
  const [reason, setReason] = useState('');
  const start = parseTime(from);
  const stop = parseTime(to);
  // Whole hours of UTC: a range that is typed in minutes grows to the hours around it.
  const range =
    start === undefined || stop === undefined
      ? undefined
      : { from_at: hourBefore(start), to_at: hourBefore(stop + RERATE_HOUR - 1) };
  const stopProblem =
    range === undefined
      ? undefined
      : range.to_at <= range.from_at
        ? 'order'
        : range.to_at > end
          ? 'open'
          : undefined;
  const chosen = version === '' ? (versions.data?.[0]?.id ?? 0) : Number(version);
  const [isChecked, setChecked] = useState(false);
  const isReasonMissing = reason.trim() === '';
  const isReady = range !== undefined && stopProblem === undefined && chosen > 0;
  const refusal = useRefusal(['reason']);
  const create = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      api.rerating.create({
        body: {
          ...(range ?? { from_at: 0, to_at: 0 }),
          version_id: chosen,
          charged_version: Number(charged),
          models: listOf(models),
          groups: listOf(groups),
          reason: reason.trim(),
        },
      }),
    onSuccess: (run) => {
      toast.success(t('create.begun'));
      onCreated(run);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: RERATING_KEY }),
  });
  const options = (versions.data ?? []).map(({ id, effective_at, reason: why }) => ({
    value: String(id),
    label: t('version.option', {
      id,
      time: hourText(effective_at),
      reason: why === '' ? '' : ` · ${why.slice(0, 60)}`,
    }),
  }));
  return (
    <DialogFrame title={t('create.title')} onClose={onClose}>
      <form
        noValidate
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (isReady && !isReasonMissing && !create.isPending) create.mutate();
        }}
      >
        <p className="soft">{t('create.text')}</p>
        <NativeSelect
          label={t('create.version')}
          data={options}
          value={String(chosen)}
          data-autofocus
          onChange={(event) => setVersion(event.currentTarget.value)}
        />
        <div className={classes.pair}>
          <TextInput
            label={t('create.from')}
            value={from}
            error={start === undefined ? t('create.invalid') : undefined}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            label={t('create.to')}
            value={to}
            error={
              stop === undefined
                ? t('create.invalid')
                : stopProblem === undefined
                  ? undefined
                  : t(`create.${stopProblem}`)
            }
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </div>
        <TextInput
          label={t('create.models')}
          placeholder={t('create.several')}
          value={models}
          onChange={(event) => setModels(event.currentTarget.value)}
        />
        <TextInput
          label={t('create.groups')}
          placeholder={t('create.several')}
          value={groups}
          onChange={(event) => setGroups(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('create.charged')}
          data={[{ value: '0', label: t('version.any') }, ...options]}
          value={charged}
          onChange={(event) => setCharged(event.currentTarget.value)}
        />
        <TextInput
          label={t('create.reason')}
          value={reason}
          maxLength={500}
          error={isChecked && isReasonMissing ? t('create.reasonMissing') : refusal.errorOf('reason')}
          onChange={(event) => {
            setReason(event.currentTarget.value);
            refusal.clear('reason');
          }}
        />
        <RefusalNotice refusal={refusal} />
        <div className="buttons top8">
          <CancelButton />
          <Button type="submit" disabled={!isReady} loading={create.isPending}>
            {t('create.submit')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
