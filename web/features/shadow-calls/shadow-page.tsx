/** The page of a comparison: both sides in figures, why calls got no copy, and the samples. */
import { Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { IconDownload, IconEraser, IconPencil, IconPower, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import {
  SHADOW_DROPS,
  type ShadowPage,
  type ShadowSideSummary,
  type ShadowTexts,
} from '#contract/relay/shadow-calls.ts';
import { api } from '#web/api.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { FactList } from '#web/ui/thing/facts.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingPage } from '#web/ui/thing/thing-page.tsx';
import { ThingTable } from '#web/ui/thing/thing-table.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';
import { exportSamples } from './export.ts';
import { ShadowState } from './list.tsx';
import { SHADOWS_KEY, shadowQueries } from './queries.ts';
import { Samples } from './samples.tsx';
import { NO_EDITOR, useShadowSearch } from './search.ts';
import { SideBySide } from './side-by-side.tsx';
import { bodyOf, formValues } from './values.ts';

const Editor = lazy(() => import('./editor.tsx').then((file) => ({ default: file.ShadowEditor })));

export function ShadowOfOne({ id }: { id: number }) {
  const { t } = useTranslation('shadow-calls');
  const { data, error, refetch } = useQuery(shadowQueries.page(id));
  if (data) return <Shown page={data} />;
  return (
    <ThingWaiting
      title={t('title')}
      back={<Link to="/shadow-calls">{t('title')}</Link>}
      error={error ? errorMessage(error) : undefined}
      isMissing={error instanceof ApiError && error.status === 404}
      onRetry={() => void refetch()}
    />
  );
}

function Shown({ page }: { page: ShadowPage }) {
  const { t } = useTranslation('shadow-calls');
  const [search, change] = useShadowSearch();
  const [read, setRead] = useState<ShadowTexts>();
  const { shadow } = page;
  const toggle = useToggle();
  return (
    <ThingPage
      back={<Link to="/shadow-calls">{t('title')}</Link>}
      name={shadow.name}
      state={<ShadowState shadow={shadow} />}
      actions={[
        {
          label: t(shadow.enabled ? 'action.turnOff' : 'action.turnOn'),
          icon: IconPower,
          onClick: () => toggle.mutate(shadow),
        },
        { label: t('action.edit'), icon: IconPencil, onClick: () => change({ ...NO_EDITOR, edit: 1 }) },
      ]}
      menu={<MoreActions page={page} />}
      drawer={
        search.edit ? (
          <Suspense>
            <Editor key={shadow.id} shadow={shadow} onClose={() => change(NO_EDITOR)} />
          </Suspense>
        ) : read ? (
          <Drawer title={t('samples.compare')} onClose={() => setRead(undefined)}>
            <SideBySide sample={read} />
          </Drawer>
        ) : undefined
      }
    >
      <ThingColumns kind="facts">
        <ThingPanel title={t('counts.title')} isFlush>
          <Facts page={page} />
        </ThingPanel>
        <ThingPanel title={t('side.title')} hint={t('side.hint', { count: page.summary.samples })} isFlush>
          <Summary page={page} />
        </ThingPanel>
      </ThingColumns>
      <Samples shadowId={shadow.id} onRead={setRead} />
    </ThingPage>
  );
}

function useToggle() {
  const { t } = useTranslation('shadow-calls');
  const client = useQueryClient();
  return useMutation({
    mutationFn: (shadow: ShadowPage['shadow']) => {
      const enabled = !shadow.enabled;
      // The fields of a form have no seconds.
      const { from, until } = shadow;
      const fields = { ...bodyOf(formValues(shadow)), from, until };
      const body = { ...fields, enabled, based_on: { enabled: shadow.enabled } };
      return api.shadowCalls.change({ params: { id: shadow.id }, body });
    },
    onSuccess: ({ enabled }) => toast.success(t(enabled ? 'switched.on' : 'switched.off')),
    onSettled: () => client.invalidateQueries({ queryKey: SHADOWS_KEY }),
  });
}

const SIZE = { size: 15, stroke: 1.6 };

function MoreActions({ page: { shadow } }: { page: ShadowPage }) {
  const { t } = useTranslation('shadow-calls');
  const client = useQueryClient();
  const navigate = useNavigate();
  const user = useUser();
  const { id, name } = shadow;
  const refresh = () => client.invalidateQueries({ queryKey: SHADOWS_KEY });
  const ask = (kind: 'remove' | 'clear') =>
    confirm({
      title: t(`${kind}.title`, { name }),
      body: t(`${kind}.text`),
      confirmLabel: t(`${kind}.confirm`),
      danger: true,
    });
  const removal = useMutation({
    mutationFn: () => api.shadowCalls.remove({ params: { id } }),
    onSuccess: async () => {
      toast.success(t('remove.done'));
      await navigate({ to: '/shadow-calls' });
    },
    onSettled: refresh,
  });
  const clearing = useMutation({
    mutationFn: () => api.shadowCalls.removeSamples({ params: { id }, query: {} }),
    onSuccess: (count) => toast.success(t('clear.done', { count })),
    onSettled: refresh,
  });
  const exporting = useMutation({ mutationFn: (kind: 'csv' | 'jsonl') => exportSamples(shadow, kind) });
  return (
    <>
      {user && isRoot(user.role) ? (
        <>
          {(['csv', 'jsonl'] as const).map((kind) => (
            <Menu.Item
              key={kind}
              leftSection={<IconDownload {...SIZE} />}
              onClick={() => exporting.mutate(kind)}
            >
              {t(`action.${kind}`)}
            </Menu.Item>
          ))}
          <Menu.Divider />
        </>
      ) : null}
      <Menu.Item
        data-danger
        leftSection={<IconEraser {...SIZE} />}
        onClick={() => void ask('clear').then((sure) => sure && clearing.mutate())}
      >
        {t('action.clear')}
      </Menu.Item>
      <Menu.Item
        data-danger
        leftSection={<IconTrash {...SIZE} />}
        onClick={() => void ask('remove').then((sure) => sure && removal.mutate())}
      >
        {t('action.remove')}
      </Menu.Item>
    </>
  );
}

function Facts({ page: { shadow } }: { page: ShadowPage }) {
  const { t } = useTranslation('shadow-calls');
  const display = useDisplay();
  const { counts, model, target_model, share_percent, kept, most_samples, spent_today } = shadow;
  return (
    <FactList
      facts={[
        { label: t('column.models'), value: t('pair', { model, target: target_model }) },
        { label: t('column.share'), value: `${share_percent}%` },
        { label: t('column.kept'), value: t('keptOf', { kept, most: most_samples }) },
        {
          label: t('column.spent'),
          value: t('spentOf', {
            spent: renderQuota(spent_today, display),
            most: `$${shadow.dollars_per_day}`,
          }),
        },
        { label: t('counts.made'), value: counts.made },
        { label: t('counts.failed'), value: counts.failed },
        ...SHADOW_DROPS.map(
          (reason) => counts[reason] > 0 && { label: t(`counts.${reason}`), value: counts[reason] },
        ),
      ]}
    />
  );
}

function Summary({ page: { summary } }: { page: ShadowPage }) {
  const { t } = useTranslation('shadow-calls');
  const display = useDisplay();
  const time = (value: number | null) =>
    value === null ? '–' : t('side.milliseconds', { value: Math.round(value) });
  const rows: { head: string; of: (side: ShadowSideSummary) => string }[] = [
    { head: t('side.first'), of: (side) => time(side.median_first_token_ms) },
    { head: t('side.firstSlow'), of: (side) => time(side.p95_first_token_ms) },
    { head: t('side.time'), of: (side) => time(side.median_time_ms) },
    { head: t('side.timeSlow'), of: (side) => time(side.p95_time_ms) },
    {
      head: t('side.cost'),
      of: ({ mean_cost }) => (mean_cost === null ? t('side.unknown') : renderQuota(mean_cost, display)),
    },
    {
      head: t('side.failed'),
      of: ({ failed }) => t('side.share', { failed, all: summary.samples }),
    },
  ];
  return (
    <ThingTable
      label={t('side.title')}
      rows={rows}
      rowKey={({ head }) => head}
      columns={[
        { key: 'figure', head: t('side.figure'), cell: ({ head }) => head },
        { key: 'answered', head: t('side.answered'), isNumber: true, cell: ({ of }) => of(summary.answered) },
        { key: 'copied', head: t('side.copied'), isNumber: true, cell: ({ of }) => of(summary.copied) },
      ]}
    />
  );
}
