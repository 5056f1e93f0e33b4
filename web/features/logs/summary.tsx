/** The badges of the head and the totals of the foot, both for the whole filter. */
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { LogStat } from '#contract/admin/logs.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderNumber, renderQuota } from '#web/ui/format/number.ts';
import type { SummaryNumber } from '#web/ui/page/page.tsx';

/** From this failure rate on the badge has a warning icon. */
const WARNING_ERROR_SHARE = 0.01;

interface LogNumber extends SummaryNumber {
  /** Left out on a phone. */
  isWideOnly?: boolean;
}

export function useLogSummary(stat: LogStat | undefined): LogNumber[] {
  const { t } = useTranslation('logs');
  const display = useDisplay();
  if (!stat) return [];
  const quota = renderQuota(stat.quota, display);
  const requests = stat.count + stat.error_count;
  const share = requests > 0 ? stat.error_count / requests : 0;
  const isWarning = share >= WARNING_ERROR_SHARE;
  return [
    {
      value: (
        <Tooltip label={t('badge.tip')}>
          <span>{stat.exact ? quota : t('badge.atLeast', { value: quota })}</span>
        </Tooltip>
      ),
      label: t('badge.quota'),
      labelFirst: true,
    },
    { value: renderNumber(stat.rpm), label: t('badge.rpm'), labelFirst: true },
    { value: renderNumber(stat.tpm), label: t('badge.tpm'), labelFirst: true },
    { value: groupDigits(requests), label: t('badge.requests', { count: requests }), isWideOnly: true },
    ...(stat.error_count > 0
      ? [
          {
            value: (
              <span className="inline4">
                {isWarning ? <IconAlertTriangleFilled size={12} aria-hidden /> : null}
                {(share * 100).toFixed(1)}%
              </span>
            ),
            label: t('badge.errors'),
            ...(isWarning ? { tone: 'danger' as const } : {}),
          },
        ]
      : []),
    ...(stat.refused_count > 0
      ? [{ value: groupDigits(stat.refused_count), label: t('badge.refused'), tone: 'danger' as const }]
      : []),
  ];
}

interface TotalsProps {
  page: { total: number; total_exact: boolean } | undefined;
  stat: LogStat | undefined;
}

export function LogTotals({ page, stat }: TotalsProps) {
  const { t } = useTranslation('logs');
  const display = useDisplay();
  if (!page || !stat) return null;
  return (
    <>
      <span>
        {t('totals.filter')} {page.total_exact ? '' : `${t('totals.upTo')} `}
        <b>{groupDigits(page.total)}</b> {t('totals.rows', { count: page.total })}
      </span>
      <span>
        {t('totals.input')} <b>{renderNumber(stat.prompt_tokens)}</b>
      </span>
      <span>
        {t('totals.output')} <b>{renderNumber(stat.completion_tokens)}</b>
      </span>
      <span>
        {t('totals.cost')} <b>{renderQuota(stat.quota, display)}</b>
      </span>
    </>
  );
}
