/** Deletes old log rows and the drawings of their days: a time, how much it would take, and a typed confirmation. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import classes from './form.module.css';

const PICK_DAYS = [7, 30, 90, 180];

const sentences = (...texts: (string | false)[]) => texts.filter(Boolean).join(' ');

export function LogCleanup() {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const id = useId();
  const [time, setTime] = useState('');
  const failed = (error: unknown) => toast.error(t('cleanup.failed', { reason: errorMessage(error) }));
  const run = useMutation({
    meta: { silent: true },
    mutationFn: async (before: number) => {
      const query = { target_timestamp: before };
      const { data: count, tasks } = await api.logs.cleanupCount({ query });
      const all = count + tasks;
      if (all === 0) {
        toast.info(t('cleanup.nothing'));
        return undefined;
      }
      const sure = await confirm({
        title: t('cleanup.confirmTitle'),
        body: sentences(
          t('cleanup.confirmBody', { count, time: absoluteTime(before) }),
          tasks > 0 && t('cleanup.confirmTasks', { count: tasks }),
        ),
        confirmLabel: t('cleanup.run'),
        danger: true,
        typed: { label: t('cleanup.typed', { count: all }), expected: String(all) },
      });
      return sure ? await api.logs.cleanup({ query }) : undefined;
    },
    onSuccess: (deleted) => {
      if (deleted === undefined) return;
      const { data: count, tasks } = deleted;
      toast.success(
        sentences(t('cleanup.done', { count }), tasks > 0 && t('cleanup.doneTasks', { count: tasks })),
      );
      void client.invalidateQueries({ queryKey: ['logs'] });
      void client.invalidateQueries({ queryKey: ['drawing'] });
    },
    onError: failed,
  });
  const start = () => {
    if (time.trim() === '') {
      toast.error(t('cleanup.required'));
      return;
    }
    const before = parseTime(time);
    if (before === undefined) toast.error(t('cleanup.invalid'));
    else run.mutate(before);
  };
  return (
    <div className={classes.row} data-wide>
      <div className={classes.name}>
        <label htmlFor={id}>{t('cleanup.time')}</label>
      </div>
      <div className={`stack4 shrink ${classes.control}`}>
        <form
          className={`row8 ${classes.addLine}`}
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
        >
          <TextInput
            id={id}
            placeholder={t('cleanup.placeholder')}
            value={time}
            autoComplete="off"
            onChange={(event) => setTime(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" color="red" loading={run.isPending}>
            {t('cleanup.run')}
          </Button>
        </form>
        <QuickPicks
          label={t('cleanup.picks')}
          picks={PICK_DAYS.map((days) => ({ label: t('cleanup.days', { count: days }), value: days }))}
          onPick={(days) => setTime(absoluteTime(unixSeconds() - days * DAY_SECONDS))}
        />
      </div>
    </div>
  );
}
