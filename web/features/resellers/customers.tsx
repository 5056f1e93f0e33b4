/** An agent's customers, without private data: the masked name, revenue and dividends. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AgentCustomer } from '#contract/money/resellers.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { LevelName, RowTotals } from './cells.tsx';
import { resellerQueries } from './queries.ts';
import type { ListProps } from './search.ts';

type Row = AgentCustomer & { key: string };

export function Customers({ search, change }: ListProps) {
  const { t } = useTranslation('resellers');
  const query = gridQuery(search);
  const list = useQuery(resellerQueries.customers(query));
  // Two customers can have the same masked name.
  const rows = list.data?.items.map((row, index): Row => ({ ...row, key: `${query.page}:${index}` }));
  const card = (row: Row) => (
    <>
      <CardHead name={row.customer}>
        <LevelName level={row.level} />
      </CardHead>
      <CardLine>
        <span>
          {t('column.revenue')} <Quota quota={row.revenue} />
        </span>
        <b>
          <Quota quota={row.dividends} />
        </b>
      </CardLine>
    </>
  );
  return (
    <DataGrid
      name="customers"
      label={t('list.customers')}
      columns={useColumns()}
      rows={rows}
      total={list.data?.total ?? 0}
      rowId={(row) => row.key}
      rowName={(row) => row.customer}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('empty.customers')} text={t('empty.customersText')} />}
      totals={<RowTotals total={list.data?.total} of="customers" />}
      card={card}
    />
  );
}

function useColumns(): GridColumn<Row>[] {
  const { t } = useTranslation('resellers');
  return [
    {
      id: 'customer',
      header: t('column.customer'),
      minWidth: 140,
      fixed: true,
      cell: (row) => row.customer,
      csv: (row) => row.customer,
      skeleton: 'text',
    },
    {
      id: 'level',
      header: t('column.level'),
      width: 90,
      cell: (row) => <LevelName level={row.level} />,
      csv: (row) => row.level,
      skeleton: 'text',
    },
    {
      id: 'revenue',
      header: t('column.revenue'),
      width: 140,
      align: 'right',
      cell: (row) => <Quota quota={row.revenue} />,
      csv: (row) => row.revenue,
      skeleton: 'number',
    },
    {
      id: 'dividends',
      header: t('column.dividends'),
      width: 140,
      align: 'right',
      cell: (row) => <Quota quota={row.dividends} />,
      csv: (row) => row.dividends,
      skeleton: 'number',
    },
  ];
}
