/** The columns of withdrawals, and a withdrawal on the phone. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminWithdrawalView, WithdrawalAction, WithdrawalView } from '#contract/money/resellers.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { csvTime } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { UserLink, WithdrawalState } from './cells.tsx';
import type { OpenDecision } from './decide-dialog.tsx';
import { useMethodName } from './words.ts';
import classes from './resellers.module.css';

export function usePayoutColumns<Row extends WithdrawalView>(): GridColumn<Row>[] {
  const { t } = useTranslation('resellers');
  const methodName = useMethodName();
  return [
    {
      id: 'time',
      header: t('column.time'),
      width: 140,
      leaves: 4,
      cell: (row) => <Moment timestamp={row.created_at} absolute />,
      csv: (row) => csvTime(row.created_at),
      skeleton: 'text',
    },
    {
      id: 'account',
      header: t('column.account'),
      minWidth: 180,
      fixed: true,
      cell: (row) => (
        <span className={`row6 shrink ${classes.account}`}>
          <span className="fixed muted">{methodName(row.method)}</span>
          <span title={row.account}>{row.account}</span>
          <CopyButton text={row.account} />
        </span>
      ),
      csv: (row) => `${methodName(row.method)} ${row.account}`,
      skeleton: 'text',
    },
    {
      id: 'amount',
      header: t('withdraw.amount'),
      width: 100,
      align: 'right',
      leaves: 3,
      cell: (row) => <Quota quota={row.quota} />,
      csv: (row) => row.quota,
      skeleton: 'number',
    },
    {
      id: 'fee',
      header: t('column.fee'),
      width: 80,
      align: 'right',
      leaves: 1,
      cell: (row) => <Quota quota={row.fee_quota} />,
      csv: (row) => row.fee_quota,
      skeleton: 'number',
    },
    {
      id: 'payout',
      header: t('column.payout'),
      width: 100,
      align: 'right',
      cell: (row) => <Quota quota={row.quota - row.fee_quota} />,
      csv: (row) => row.quota - row.fee_quota,
      skeleton: 'number',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 110,
      cell: (row) => <WithdrawalState status={row.status} />,
      csv: (row) => t(`status.${row.status}`),
      skeleton: 'status',
    },
    {
      id: 'note',
      header: t('column.note'),
      width: 150,
      leaves: 2,
      cell: (row) => (row.note ? <span title={row.note}>{row.note}</span> : <Empty />),
      csv: (row) => row.note,
      skeleton: 'text',
    },
  ];
}

type OnDecide = (decision: OpenDecision) => void;

export function useQueueColumns(onDecide: OnDecide): GridColumn<AdminWithdrawalView>[] {
  const { t } = useTranslation('resellers');
  const [time, ...columns] = usePayoutColumns<AdminWithdrawalView>();
  return [
    ...(time ? [time] : []),
    {
      id: 'agent',
      header: t('column.agent'),
      width: 120,
      cell: (row) => <UserLink id={row.user_id} name={row.username} />,
      csv: (row) => row.username,
      skeleton: 'text',
    },
    ...columns,
    {
      id: 'actions',
      header: t('column.actions'),
      width: 170,
      fixed: true,
      cell: (row) => <DecideButtons row={row} onDecide={onDecide} />,
      skeleton: 'none',
    },
  ];
}

const ACTIONS: Partial<Record<WithdrawalView['status'], readonly WithdrawalAction[]>> = {
  requested: ['approve', 'refuse'],
  approved: ['pay', 'refuse'],
};

export function DecideButtons({ row, onDecide }: { row: AdminWithdrawalView; onDecide: OnDecide }) {
  const { t } = useTranslation('resellers');
  const actions = ACTIONS[row.status] ?? [];
  if (actions.length === 0) return null;
  return (
    <span className="flex6" title={row.decidable ? undefined : t('decide.level')}>
      {actions.map((action) => (
        <Button
          key={action}
          size="compact-sm"
          variant={action === 'refuse' ? 'default' : 'light'}
          disabled={!row.decidable}
          onClick={(event) => {
            event.stopPropagation();
            onDecide({ row, action });
          }}
        >
          {t(`decide.${action}`)}
        </Button>
      ))}
    </span>
  );
}

interface PayoutCardProps {
  row: WithdrawalView;
  name?: string;
  children?: ReactNode;
}

export function PayoutCard({ row, name, children }: PayoutCardProps) {
  const { t } = useTranslation('resellers');
  const methodName = useMethodName();
  return (
    <>
      <CardHead name={name ?? methodName(row.method)}>
        <WithdrawalState status={row.status} />
      </CardHead>
      <CardLine>
        <span>
          {methodName(row.method)} {row.account}
        </span>
        <b>
          <Quota quota={row.quota - row.fee_quota} />
        </b>
      </CardLine>
      <CardLine>
        <span>
          {t('column.fee')} <Quota quota={row.fee_quota} />
        </span>
        <Moment timestamp={row.created_at} />
      </CardLine>
      {row.note ? <CardLine>{row.note}</CardLine> : null}
      {children}
    </>
  );
}
