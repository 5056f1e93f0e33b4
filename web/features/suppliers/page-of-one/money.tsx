/** The channels of a supplier: state, balance, score, and what they brought and cost. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { SupplierChannel, SupplierPage } from '#contract/suppliers/supplier-page.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { KnownAmount, MarginPercent, SumAmount } from '#web/ui/thing/money-cells.tsx';
import { MoneyLine } from '#web/ui/thing/money-line.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { Score } from '#web/features/suppliers/cells.tsx';

/** Below this the balance is short. */
export const ENOUGH_DAYS = 4;

type Translate = ReturnType<typeof useTranslation<'suppliers'>>['t'];

export function SupplierMoney({ page }: { page: SupplierPage }) {
  const { t } = useTranslation('suppliers');
  const display = useDisplay();
  const { money, channels } = page;
  const fees =
    money.fees > 0 ? ` · ${t('page.money.fees', { amount: renderQuota(money.fees, display, 2) })}` : '';
  return (
    <ThingPanel
      title={t('page.money.title')}
      hint={t('page.money.hint', { from: money.from, to: money.to }) + fees}
      more={
        <>
          <MoneyLine money={money} />
          <Link to="/margins" search={{ by: 'channel', supplier: page.id }}>
            {t('page.money.margins')}
          </Link>
        </>
      }
      isFlush
    >
      <ThingTable
        label={t('page.money.title')}
        columns={moneyColumns(t, page)}
        rows={channels}
        rowKey={({ id }) => id}
      />
    </ThingPanel>
  );
}

function moneyColumns(t: Translate, { money, channels }: SupplierPage): ThingColumn<SupplierChannel>[] {
  const number = { isNumber: true } as const;
  return [
    {
      key: 'channel',
      head: t('page.money.channel'),
      cell: ({ id, name, status }) =>
        status === 0 ? (
          name
        ) : (
          <Link to="/channel/$id" params={{ id: String(id) }} className="quiet-link">
            {name}
          </Link>
        ),
      foot: t('page.money.foot', { count: channels.length }),
    },
    { key: 'state', head: t('page.money.state'), cell: ({ status }) => <State status={status} /> },
    {
      key: 'balance',
      head: t('page.money.balance'),
      ...number,
      cell: ({ balance, currency }) =>
        balance === null ? <Empty /> : `${currency === 'CNY' ? '¥' : '$'}${balance.toFixed(2)}`,
    },
    {
      key: 'lasts',
      head: t('page.money.lasts'),
      ...number,
      cell: ({ balance_days: days }) =>
        days === null ? (
          <Empty />
        ) : (
          <span className={days < ENOUGH_DAYS ? 'warning' : undefined}>
            {t('page.money.days', { count: Math.floor(days) })}
          </span>
        ),
    },
    { key: 'score', head: t('page.money.score'), cell: ({ score }) => <Score supplier={{ score }} /> },
    {
      key: 'calls',
      head: t('page.money.calls'),
      ...number,
      cell: ({ calls }) => <Count value={calls} />,
      foot: <Count value={money.calls} />,
    },
    {
      key: 'share',
      head: t('page.money.share'),
      ...number,
      cell: (row) => <MarginPercent of={row} />,
      foot: <MarginPercent of={money} />,
    },
    {
      key: 'used',
      head: t('page.money.used'),
      ...number,
      cell: ({ used }) => <Quota quota={used} decimals={2} />,
      foot: <SumAmount of={money} name="used" />,
    },
    {
      key: 'cost',
      head: t('page.money.cost'),
      ...number,
      cell: (row) => <KnownAmount of={row} name="cost" />,
      foot: <SumAmount of={money} name="cost" />,
    },
    {
      key: 'margin',
      head: t('page.money.margin'),
      ...number,
      cell: (row) => <KnownAmount of={row} name="margin" />,
      foot: <SumAmount of={money} name="margin" />,
    },
  ];
}

function State({ status }: { status: number }) {
  const { t } = useTranslation('suppliers');
  if (status === CHANNEL_STATUS.enabled)
    return <StatusBadge kind="enabled">{t('page.status.enabled')}</StatusBadge>;
  if (status === CHANNEL_STATUS.autoDisabled)
    return <StatusBadge kind="auto-disabled">{t('page.status.autoDisabled')}</StatusBadge>;
  return (
    <StatusBadge kind="disabled">{t(status === 0 ? 'page.status.gone' : 'page.status.disabled')}</StatusBadge>
  );
}
