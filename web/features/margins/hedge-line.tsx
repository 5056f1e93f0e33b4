/** What the attempts cost that lost against another channel: a part of the cost above. */
import { useTranslation } from 'react-i18next';
import type { MarginReport } from '#contract/money/margins.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';

export function HedgeLine({ hedges: { calls, cost, unknown_calls } }: Pick<MarginReport, 'hedges'>) {
  const { t } = useTranslation('margins');
  const display = useDisplay();
  return (
    <NoticeLine>
      {t('hedges', { count: calls, cost: renderQuota(cost, display) })}
      {unknown_calls > 0 ? ` ${t('hedgesUnknown', { count: unknown_calls })}` : ''}
    </NoticeLine>
  );
}
