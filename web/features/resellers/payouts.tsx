/** Withdrawals: an agent's own, and the queue in which administrators decide. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  WITHDRAWAL_STATUS,
  type AdminWithdrawalView,
  type WithdrawalView,
} from '#contract/money/resellers.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { RowTotals } from './cells.tsx';
import { DecideDialog, type OpenDecision } from './decide-dialog.tsx';
import { DecideButtons, PayoutCard, usePayoutColumns, useQueueColumns } from './payout-columns.tsx';
import { resellerQueries } from './queries.ts';
import type { ListProps } from './search.ts';

export function Payouts({ search, change }: ListProps) {
  const { t } = useTranslation('resellers');
  const query = gridQuery(search);
  const list = useQuery(resellerQueries.payouts(query));
  const card = (row: WithdrawalView) => <PayoutCard row={row} />;
  return (
    <DataGrid<WithdrawalView>
      name="payouts"
      label={t('list.payouts')}
      columns={usePayoutColumns()}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={(row) => String(row.id)}
      rowName={(row) => `#${row.id}`}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('empty.payouts')} text={t('empty.payoutsText')} />}
      totals={<RowTotals total={list.data?.total} of="rows" />}
      card={card}
    />
  );
}

export function Queue({ search, change }: ListProps) {
  const { t } = useTranslation('resellers');
  const query = gridQuery(search);
  const list = useQuery(resellerQueries.queue(search, query));
  const [open, setOpen] = useState<OpenDecision>();
  const card = (row: AdminWithdrawalView) => (
    <PayoutCard row={row} name={row.username}>
      <DecideButtons row={row} onDecide={setOpen} />
    </PayoutCard>
  );
  return (
    <>
      <DataGrid<AdminWithdrawalView>
        name="withdrawals"
        label={t('list.queue')}
        columns={useQueueColumns(setOpen)}
        rows={list.data?.items}
        total={list.data?.total ?? 0}
        rowId={(row) => String(row.id)}
        rowName={(row) => `#${row.id} ${row.username}`}
        query={query}
        {...addressProps(search, change, t('search.queue'))}
        facets={[
          {
            id: 'status',
            label: t('column.status'),
            options: WITHDRAWAL_STATUS.map((value) => ({ value, label: t(`status.${value}`) })),
            value: search.status === undefined ? [] : [search.status],
            onChange: ([value]) =>
              change({ page: undefined, status: WITHDRAWAL_STATUS.find((status) => status === value) }),
          },
        ]}
        onClearFilters={() => change({ q: undefined, status: undefined, page: undefined })}
        refreshing={list.isFetching && list.data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.queue')} text={t('empty.queueText')} />}
        totals={<RowTotals total={list.data?.total} of="rows" />}
        card={card}
      />
      {open ? <DecideDialog {...open} onClose={() => setOpen(undefined)} /> : null}
    </>
  );
}
