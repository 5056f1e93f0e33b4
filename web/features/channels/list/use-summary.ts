/** The numbers in the head of the page; that of automatically disabled channels filters the list. */
import { useTranslation } from 'react-i18next';
import type { Output } from '#contract/endpoint.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import type { ChangeSearch } from '#web/features/channels/use-channel-search.ts';
import type { ChannelSearch } from '#web/features/channels/search.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import type { SummaryNumber } from '#web/ui/page/page.tsx';

type Counts = Pick<Output<typeof channels.list>, 'enabled' | 'disabled' | 'auto_disabled' | 'today_quota'>;

export function useSummary(
  counts: Counts | undefined,
  search: ChannelSearch,
  change: ChangeSearch,
): SummaryNumber[] | undefined {
  const { t } = useTranslation('channels');
  const display = useDisplay();
  if (!counts) return undefined;
  const { enabled, disabled, auto_disabled: autoDisabled, today_quota: today } = counts;
  const isFiltered = search.status === CHANNEL_STATUS.autoDisabled;
  const status = isFiltered ? undefined : CHANNEL_STATUS.autoDisabled;
  return [
    { value: enabled + disabled + autoDisabled, label: t('summary.total') },
    { value: enabled, label: t('summary.enabled') },
    ...(autoDisabled > 0
      ? [
          {
            value: autoDisabled,
            label: t('summary.autoDisabled'),
            tone: 'danger' as const,
            isFiltered,
            onFilter: () => change({ status, page: undefined }),
          },
        ]
      : []),
    // After what needs somebody: the last numbers have no room on narrow screens.
    { value: disabled, label: t('summary.disabled') },
    { value: renderQuota(today, display), label: t('summary.today'), labelFirst: true },
  ];
}
