/** The background run over all channels: progress, stop, results. It continues when the dialog is closed. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { wordsIn } from '#contract/facts.ts';
import { languageOf } from '#contract/language.ts';
import { allowableIn } from '#contract/operating/private-addresses.ts';
import { api } from '#web/api.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { AllowAddress } from '#web/features/channels/allow-address.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { CHANNELS_KEY, channelQueries } from '#web/features/channels/queries.ts';
import { TestResults, type ResultFilter } from './test-results.tsx';
import classes from '#web/features/channels/dialogs/dialogs.module.css';

export function TestAllDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation('channels');
  const client = useQueryClient();
  const [filter, setFilter] = useState<ResultFilter>('all');
  const { data } = useQuery({ ...channelQueries.testRun(), refetchOnMount: 'always' });
  const refresh = () => client.invalidateQueries({ queryKey: channelQueries.testRun().queryKey });
  const start = useMutation({
    mutationFn: () => api.channelUpstream.testAll(),
    onSettled: refresh,
  });
  const stop = useMutation({ mutationFn: () => api.channelUpstream.stopTests(), onSettled: refresh });
  const isRunning = data?.running ?? false;
  const done = data?.done ?? 0;
  const total = data?.total ?? 0;

  useEffect(() => {
    // Every finished test changed a row of the list behind the dialog.
    if (done > 0) void client.invalidateQueries({ queryKey: CHANNELS_KEY });
  }, [client, done]);

  const rows = (data?.results ?? []).map((result) => ({
    key: String(result.id),
    name: `#${result.id} ${result.name}`,
    state: result.result,
    milliseconds: result.milliseconds,
    error: wordsIn(languageOf(i18n.language), result.error),
    action: <AllowAddress addresses={allowableIn(result.error)} onAllowed={() => start.mutate()} />,
  }));
  const words = () => {
    if (!data || data.started_at === 0) return t('test.never');
    if (data.stopped) return t('test.stopped', { done, total });
    return isRunning ? t('test.progress', { done, total }) : t('test.finished', { done, total });
  };

  return (
    <DialogFrame width={640} onClose={onClose} title={t('test.titleAll')}>
      <div className={classes.controls}>
        <p className="top8 note">{t('test.allHint')}</p>
        {isRunning ? (
          <Button
            variant="default"
            loading={stop.isPending}
            leftSection={<IconPlayerStop size={15} stroke={1.6} />}
            onClick={() => stop.mutate()}
          >
            {t('test.stop')}
          </Button>
        ) : (
          <Button
            data-autofocus
            loading={start.isPending}
            leftSection={<IconPlayerPlay size={15} stroke={1.6} />}
            onClick={() => start.mutate()}
          >
            {t('test.start')}
          </Button>
        )}
      </div>
      <ProgressBar done={done} total={total} words={words()} />
      {rows.length > 0 ? <TestResults rows={rows} filter={filter} onFilter={setFilter} /> : null}
    </DialogFrame>
  );
}
