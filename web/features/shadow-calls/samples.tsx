/** The samples of a comparison, the newest first; the super admin reads the texts of one after a confirmation. */
import { Button, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { ShadowSample, ShadowTexts } from '#contract/relay/shadow-calls.ts';
import { api } from '#web/api.ts';
import { useUser } from '#web/api/session.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { renderQuota } from '#web/ui/format/number.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { SHADOWS_KEY, shadowQueries, type Outcome } from './queries.ts';
import classes from './samples.module.css';

const OUTCOMES = ['all', 'answered', 'failed'] as const satisfies readonly Outcome[];

interface SamplesProps {
  shadowId: number;
  onRead: (sample: ShadowTexts | undefined) => void;
}

export function Samples({ shadowId, onRead }: SamplesProps) {
  const { t } = useTranslation('shadow-calls');
  const [outcome, setOutcome] = useState<Outcome>('all');
  const { data, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    shadowQueries.samples(shadowId, outcome),
  );
  const rows = data?.pages.flatMap(({ samples }) => samples);
  const columns = useColumns(shadowId, onRead);
  return (
    <ThingPanel
      title={t('samples.title')}
      isFlush
      more={
        <SegmentedControl
          size="xs"
          aria-label={t('samples.filter')}
          value={outcome}
          data={OUTCOMES.map((value) => ({ value, label: t(`samples.${value}`) }))}
          onChange={(value) => setOutcome(OUTCOMES.find((each) => each === value) ?? 'all')}
        />
      }
    >
      {rows?.length === 0 ? <NoticeLine>{t('samples.none')}</NoticeLine> : null}
      {rows && rows.length > 0 ? (
        <div className={classes.scroll}>
          <ThingTable label={t('samples.title')} columns={columns} rows={rows} rowKey={({ id }) => id} />
        </div>
      ) : null}
      {hasNextPage ? (
        <Button variant="default" size="xs" loading={isFetching} onClick={() => void fetchNextPage()}>
          {t('samples.more')}
        </Button>
      ) : null}
    </ThingPanel>
  );
}

function useColumns(
  shadowId: number,
  onRead: (sample: ShadowTexts | undefined) => void,
): ThingColumn<ShadowSample>[] {
  const { t } = useTranslation('shadow-calls');
  const display = useDisplay();
  const both = (of: (side: ShadowSample['answered']) => string) => {
    return ({ answered, copied }: ShadowSample) =>
      t('samples.both', { left: of(answered), right: of(copied) });
  };
  const time = (value: number) => (value === 0 ? '–' : t('side.milliseconds', { value }));
  return [
    {
      key: 'when',
      head: t('samples.when'),
      cell: ({ created_at }) => (
        <span className="nowrap">
          <Moment timestamp={created_at} />
        </span>
      ),
    },
    {
      key: 'user',
      head: t('samples.user'),
      isWide: true,
      cell: ({ username }) => username || t('samples.gone'),
    },
    {
      key: 'first',
      head: t('samples.first'),
      isNumber: true,
      isWide: true,
      cell: both(({ first_token_ms }) => time(first_token_ms)),
    },
    {
      key: 'time',
      head: t('samples.time'),
      isNumber: true,
      isWide: true,
      cell: both(({ time_ms }) => time(time_ms)),
    },
    {
      key: 'tokens',
      head: t('samples.tokens'),
      isNumber: true,
      isWide: true,
      cell: both(({ prompt_tokens, completion_tokens }) => `${prompt_tokens} / ${completion_tokens}`),
    },
    {
      key: 'cost',
      head: t('samples.cost'),
      isNumber: true,
      isWide: true,
      cell: both(({ cost }) => (cost === null ? t('side.unknown') : renderQuota(cost, display))),
    },
    {
      key: 'ending',
      head: t('samples.ending'),
      isWide: true,
      cell: ({ copied }) => <Ending ending={copied.ending} />,
    },
    {
      key: 'actions',
      head: t('samples.actions'),
      isWide: true,
      cell: (sample) => <Actions shadowId={shadowId} sample={sample} onRead={onRead} />,
    },
  ];
}

const ENDINGS = ['complete', 'length', 'broken', 'network', 'timeout', 'error'] as const;

function Ending({ ending }: { ending: string }) {
  const { t } = useTranslation('shadow-calls');
  const known = ENDINGS.find((each) => each === ending);
  const status = /^http_(\d+)$/.exec(ending)?.[1];
  const words = known ? t(`ending.${known}`) : status ? `HTTP ${status}` : ending;
  return <span className={isWhole(ending) ? undefined : 'danger'}>{words}</span>;
}

const isWhole = (ending: string): boolean => ending === 'complete' || ending === 'length';

interface ActionsProps {
  shadowId: number;
  sample: ShadowSample;
  onRead: (sample: ShadowTexts | undefined) => void;
}

function Actions({ shadowId, sample, onRead }: ActionsProps) {
  const { t } = useTranslation('shadow-calls');
  const user = useUser();
  const client = useQueryClient();
  const reading = useMutation({
    mutationFn: () => api.shadowCalls.texts({ params: { id: shadowId }, body: { ids: [sample.id] } }),
    onSuccess: ({ samples: [found] }) => onRead(found),
  });
  const removal = useMutation({
    mutationFn: () =>
      api.shadowCalls.removeSamples({ params: { id: shadowId }, query: { sample: sample.id } }),
    onSettled: () => client.invalidateQueries({ queryKey: SHADOWS_KEY }),
  });
  return (
    <span className="inline8">
      {user && isRoot(user.role) ? (
        <Button
          size="compact-xs"
          variant="default"
          loading={reading.isPending}
          onClick={() => reading.mutate()}
        >
          {t('samples.show')}
        </Button>
      ) : null}
      <Button size="compact-xs" variant="subtle" loading={removal.isPending} onClick={() => removal.mutate()}>
        {t('samples.remove')}
      </Button>
    </span>
  );
}
