/** The columns of the list. On narrow screens they are hidden in this order: created, expires, batch, redeemed at, code. */
import type { ReactNode } from 'react';
import type { useTranslation } from 'react-i18next';
import { redemptionStateAt, type RedemptionBatch, type RedemptionView } from '#contract/money/redemptions.ts';
import { unixSeconds } from '#contract/time.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { csvTime, menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { BatchCell, ExpiryCell, KeyCell, RedeemedCell, StateCell, UsedByCell } from './cells.tsx';

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'redemptions'>>['t'];
  batchOf: (id: string) => RedemptionBatch | undefined;
  onBatch: (id: string) => void;
  menu: (code: RedemptionView) => ReactNode;
}

export function codeColumns({ t, batchOf, onBatch, menu }: ColumnOptions): GridColumn<RedemptionView>[] {
  return [
    {
      id: 'id',
      header: t('column.id'),
      width: 56,
      sortKey: 'id',
      cell: (code) => code.id,
      csv: (code) => code.id,
      skeleton: 'number',
    },
    {
      id: 'name',
      header: t('column.name'),
      minWidth: 120,
      fixed: true,
      sortKey: 'name',
      cell: (code) => <span title={code.name}>{code.name}</span>,
      csv: (code) => code.name,
      skeleton: 'text',
    },
    {
      id: 'key',
      header: t('column.key'),
      width: 138,
      leaves: 5,
      cell: (code) => <KeyCell code={code} />,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 104,
      cell: (code) => <StateCell code={code} />,
      csv: (code) => t(`status.${redemptionStateAt(code, unixSeconds())}`),
      skeleton: 'status',
    },
    {
      id: 'quota',
      header: t('column.quota'),
      width: 92,
      align: 'right',
      sortKey: 'quota',
      cell: (code) => <Quota quota={code.quota} />,
      csv: (code) => code.quota,
      skeleton: 'number',
    },
    {
      id: 'batch',
      header: t('column.batch'),
      width: 116,
      leaves: 3,
      cell: (code) => <BatchCell batch={batchOf(code.batch)} onFilter={onBatch} />,
      csv: (code) => code.batch,
      skeleton: 'bar',
    },
    {
      id: 'created',
      header: t('column.created'),
      width: 142,
      leaves: 1,
      sortKey: 'created_time',
      cell: (code) => <Moment timestamp={code.created_time} absolute />,
      csv: (code) => csvTime(code.created_time),
      skeleton: 'text',
    },
    {
      id: 'expires',
      header: t('column.expires'),
      width: 108,
      leaves: 2,
      sortKey: 'expired_time',
      cell: (code) => <ExpiryCell code={code} />,
      csv: (code) => (code.expired_time === 0 ? t('never') : csvTime(code.expired_time)),
      skeleton: 'text',
    },
    {
      id: 'used-by',
      header: t('column.usedBy'),
      width: 118,
      cell: (code) => <UsedByCell code={code} />,
      csv: (code) => code.used_username,
      skeleton: 'text',
    },
    {
      id: 'redeemed',
      header: t('column.redeemed'),
      width: 142,
      leaves: 4,
      sortKey: 'redeemed_time',
      cell: (code) => <RedeemedCell code={code} />,
      csv: (code) => (code.redeemed_time === 0 ? '' : csvTime(code.redeemed_time)),
      skeleton: 'text',
    },
    menuColumn(t('column.actions'), menu),
  ];
}
