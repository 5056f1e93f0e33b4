/** The channels of a supplier: state, balance, score, and what they brought and cost. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SupplierChannel, SupplierPage } from '#contract/suppliers/supplier-page.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { useChannelColumns } from '#web/ui/thing/channel-columns.tsx';
import { MoneyPanel, useMoneyColumns } from '#web/ui/thing/money-panel.tsx';
import type { ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { Score } from '#web/features/suppliers/cells.tsx';

/** Below this the balance is short. */
export const ENOUGH_DAYS = 4;

function useColumns({ money, channels }: SupplierPage): ThingColumn<SupplierChannel>[] {
  const { t } = useTranslation('suppliers');
  const { calls, share, used, cost, margin } = useMoneyColumns<SupplierChannel>(money);
  return [
    ...useChannelColumns<SupplierChannel>(channels.length),
    {
      key: 'balance',
      head: t('page.money.balance'),
      isNumber: true,
      cell: ({ balance, currency }) =>
        balance === null ? <Empty /> : `${currency === 'CNY' ? '¥' : '$'}${balance.toFixed(2)}`,
    },
    {
      key: 'lasts',
      head: t('page.money.lasts'),
      isNumber: true,
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
    calls,
    share,
    used,
    cost,
    margin,
  ];
}

export function SupplierMoney({ page }: { page: SupplierPage }) {
  const { t } = useTranslation('suppliers');
  const { t: thing } = useTranslation('thing');
  const columns = useColumns(page);
  const { id: supplier, money, channels } = page;
  return (
    <MoneyPanel
      title={t('page.money.title')}
      hint={t('page.money.hint', { from: money.from, to: money.to, zone: money.time_zone })}
      money={money}
      margins={
        <Link to="/margins" search={{ by: 'channel', supplier }}>
          {thing('money.inMargins')}
        </Link>
      }
      columns={columns}
      rows={channels}
      rowKey={({ id }) => id}
    />
  );
}
