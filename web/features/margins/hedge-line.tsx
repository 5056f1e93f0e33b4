/** What attempts cost that nobody was charged for, of hedged calls or of shadow calls: a part of the cost above. */
import { useTranslation } from 'react-i18next';
import type { MarginReport } from '#contract/money/margins.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';

interface HedgeLineProps extends Pick<MarginReport, 'hedges'> {
  kind?: 'hedges' | 'shadows';
}

export function HedgeLine({ hedges: { calls, cost, unknown_calls }, kind = 'hedges' }: HedgeLineProps) {
  const { t } = useTranslation('margins');
  const display = useDisplay();
  return (
    <NoticeLine>
      {t(kind, { count: calls, cost: renderQuota(cost, display) })}
      {unknown_calls > 0 ? ` ${t('hedgesUnknown', { count: unknown_calls })}` : ''}
    </NoticeLine>
  );
}
