/** The last calls with a key; each opens its row in the log. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { TokenPageCall } from '#contract/admin/token-page.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { useColumnDecimals } from '#web/ui/format/column-decimals.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';

interface LastCallsProps {
  calls: readonly TokenPageCall[];
  all: { token: string; user?: string };
}

export function LastCalls({ calls, all }: LastCallsProps) {
  const { t } = useTranslation('tokens');
  const decimals = useColumnDecimals(calls.map(({ quota }) => quota));
  return (
    <ThingPanel
      title={t('page.calls')}
      more={
        <Link to="/log" search={all}>
          {t('page.allCalls')}
        </Link>
      }
      isFlush={calls.length > 0}
    >
      {calls.length === 0 ? <p className="caption">{t('page.noCalls')}</p> : null}
      {calls.length > 0 ? (
        <ThingTable
          label={t('page.calls')}
          rows={calls}
          rowKey={({ id }) => id}
          columns={callColumns(t, decimals)}
        />
      ) : null}
    </ThingPanel>
  );
}

function callColumns(
  t: ReturnType<typeof useTranslation<'tokens'>>['t'],
  decimals: number,
): ThingColumn<TokenPageCall>[] {
  return [
    {
      key: 'model',
      head: t('page.model'),
      cell: ({ model_name, request_id, created_at }) => (
        <Link
          to="/log"
          search={{
            request: request_id,
            from: created_at - DAY_SECONDS,
            to: created_at + DAY_SECONDS,
          }}
        >
          {model_name}
        </Link>
      ),
    },
    {
      key: 'tokens',
      head: t('page.tokens'),
      isNumber: true,
      cell: ({ prompt_tokens, completion_tokens }) =>
        `${groupDigits(prompt_tokens)} / ${groupDigits(completion_tokens)}`,
    },
    {
      key: 'cost',
      head: t('page.cost'),
      isNumber: true,
      cell: ({ type, quota }) =>
        type === LOG_TYPE.error ? (
          <span className="danger">{t('page.failed')}</span>
        ) : (
          <Quota quota={quota} decimals={decimals} />
        ),
    },
    {
      key: 'time',
      head: t('page.time'),
      isNumber: true,
      cell: ({ created_at }) => <Moment timestamp={created_at} />,
    },
  ];
}
