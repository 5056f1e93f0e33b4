/** The calls of a user or a key: four numbers, the posts, and the models that cost most. */
import { useTranslation } from 'react-i18next';
import type { PageUse } from '#contract/admin/page-parts.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { columnDecimals, useColumnDecimals } from '#web/ui/format/column-decimals.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import type { HourPost, PostPlace } from './hour-posts.tsx';
import { ThingPanel } from './panel.tsx';
import { PostsPanel } from './posts-panel.tsx';
import { ThingTable, type ThingColumn } from './thing-table.tsx';

interface UsePanelProps {
  use: PageUse;
  onWindow: (window: ThingWindow) => void;
  placeOf?: (post: HourPost) => PostPlace;
}

export function UsePanel({ use, onWindow, placeOf }: UsePanelProps) {
  const { t } = useTranslation('thing');
  const display = useDisplay();
  const { total, before } = use;
  const all = total.calls + total.failures;
  const allBefore = before.calls + before.failures;
  const share = (answered: number, calls: number) =>
    calls === 0 ? undefined : `${((answered / calls) * 100).toFixed(1)}%`;
  const [each = 0, eachBefore = 0] = [total, before].map(({ quota, calls }) =>
    calls === 0 ? 0 : Math.round(quota / calls),
  );
  const decimals = columnDecimals([each, eachBefore], display);
  const figures = [
    {
      label: t('calls.calls'),
      value: groupDigits(all),
      basis: t('before', { value: groupDigits(allBefore) }),
    },
    {
      label: t('calls.answered'),
      value: share(total.calls, all),
      basis: allBefore === 0 ? t('tooFew') : t('before', { value: share(before.calls, allBefore) ?? '' }),
    },
    {
      label: t('calls.used'),
      value: renderQuota(total.quota, display, 2),
      basis: t('before', { value: renderQuota(before.quota, display, 2) }),
    },
    {
      label: t('calls.each'),
      value: total.calls === 0 ? undefined : <Quota quota={each} decimals={decimals} />,
      basis:
        before.calls === 0 ? t('tooFew') : t('before', { value: renderQuota(eachBefore, display, decimals) }),
    },
  ];
  return (
    <PostsPanel
      figures={figures}
      posts={use.posts.map(({ calls, failures }, index) => ({
        at: use.start + index * use.step,
        answered: calls,
        failed: failures,
      }))}
      window={use.window}
      step={use.step}
      onWindow={onWindow}
      placeOf={placeOf}
    />
  );
}

export function ModelsPanel({ use }: { use: PageUse }) {
  const { t } = useTranslation('thing');
  const decimals = useColumnDecimals(use.models.map(({ quota }) => quota));
  if (use.models.length === 0) return null;
  return (
    <ThingPanel title={t('calls.models')} hint={t(`span.${use.window}`)} isFlush>
      <ThingTable
        label={t('calls.models')}
        rows={use.models}
        rowKey={({ model_name }) => model_name}
        columns={modelColumns(t, decimals)}
      />
    </ThingPanel>
  );
}

function modelColumns(
  t: ReturnType<typeof useTranslation<'thing'>>['t'],
  decimals: number,
): ThingColumn<PageUse['models'][number]>[] {
  return [
    { key: 'model', head: t('calls.model'), cell: ({ model_name }) => model_name },
    { key: 'calls', head: t('calls.calls'), isNumber: true, cell: ({ count }) => groupDigits(count) },
    {
      key: 'used',
      head: t('calls.used'),
      isNumber: true,
      cell: ({ quota }) => <Quota quota={quota} decimals={decimals} />,
    },
  ];
}
