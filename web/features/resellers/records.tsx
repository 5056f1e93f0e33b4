/** Dividend records: an agent's own, and all of them for administrators. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { DIVIDEND_KINDS, type AdminDividendRecord, type DividendRecord } from '#contract/money/resellers.ts';
import { downloadFrom } from '#web/api/download.ts';
import { gridError } from '#web/api/errors.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { LevelName, RowTotals, UserLink } from './cells.tsx';
import { resellerQueries } from './queries.ts';
import type { ResellerSearch, ListProps } from './search.ts';
import classes from './resellers.module.css';

export function OwnRecords({ search, change }: ListProps) {
  const { t } = useTranslation('resellers');
  const query = gridQuery(search);
  const list = useQuery(resellerQueries.records(search, query));
  const card = (row: DividendRecord) => <RecordCard record={row} name={row.customer} />;
  return (
    <DataGrid
      name="dividends"
      label={t('list.records')}
      columns={useColumns<DividendRecord>()}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={(row) => String(row.id)}
      rowName={(row) => `#${row.id}`}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      facets={useKindFacet({ search, change })}
      onClearFilters={() => change({ kind: undefined, page: undefined })}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('empty.records')} text={t('empty.recordsText')} />}
      totals={<RowTotals total={list.data?.total} of="rows" />}
      card={card}
    />
  );
}

export function AllRecords({ search, change }: ListProps) {
  const { t } = useTranslation('resellers');
  const query = gridQuery(search);
  const list = useQuery(resellerQueries.all(search, query));
  const card = (row: AdminDividendRecord) => (
    <RecordCard record={row} name={`${row.agent} ← ${row.customer}`} />
  );
  return (
    <DataGrid
      name="all-dividends"
      label={t('list.all')}
      columns={useAdminColumns()}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={(row) => String(row.id)}
      rowName={(row) => `#${row.id} ${row.agent}`}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      facets={useKindFacet({ search, change })}
      onClearFilters={() => change({ kind: undefined, agent: undefined, page: undefined })}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('empty.all')} text={t('empty.allText')} />}
      totals={<RowTotals total={list.data?.total} of="rows" />}
      card={card}
    />
  );
}

/** The whole list as a file, made by the server. */
export function ExportRecords({ kind }: Pick<ResellerSearch, 'kind'>) {
  const { t } = useTranslation('resellers');
  const save = useMutation({
    mutationFn: () =>
      downloadFrom(
        `/api/agent/self/records/export?format=csv${kind ? `&kind=${kind}` : ''}`,
        'dividends.csv',
      ),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} stroke={1.6} />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {t('export')}
    </Button>
  );
}

function useKindFacet({ search, change }: ListProps): Facet[] {
  const { t } = useTranslation('resellers');
  return [
    {
      id: 'kind',
      label: t('column.kind'),
      options: DIVIDEND_KINDS.map((value) => ({ value, label: t(`kind.${value}`) })),
      value: search.kind === undefined ? [] : [search.kind],
      onChange: ([value]) => change({ page: undefined, kind: DIVIDEND_KINDS.find((kind) => kind === value) }),
    },
  ];
}

function Change({ amount }: { amount: number }) {
  return (
    <span className={classes.change} data-out={amount < 0 || undefined}>
      {amount > 0 ? '+' : ''}
      <Quota quota={amount} />
    </span>
  );
}

function useColumns<Row extends DividendRecord>(): GridColumn<Row>[] {
  const { t } = useTranslation('resellers');
  return [
    {
      id: 'time',
      header: t('column.time'),
      width: 140,
      cell: (row) => <Moment timestamp={row.created_at} absolute />,
      skeleton: 'text',
    },
    {
      id: 'kind',
      header: t('column.kind'),
      minWidth: 130,
      fixed: true,
      cell: (row) => t(`kind.${row.kind}`),
      skeleton: 'text',
    },
    {
      id: 'customer',
      header: t('column.customer'),
      width: 130,
      cell: (row) => row.customer || <Empty />,
      skeleton: 'text',
    },
    {
      id: 'level',
      header: t('column.level'),
      width: 70,
      leaves: 1,
      cell: (row) => <LevelName level={row.level} />,
      skeleton: 'text',
    },
    {
      id: 'base',
      header: t('column.base'),
      width: 110,
      align: 'right',
      leaves: 3,
      cell: (row) => <Quota quota={row.base_quota} />,
      skeleton: 'number',
    },
    {
      id: 'rate',
      header: t('column.rate'),
      width: 80,
      align: 'right',
      leaves: 2,
      cell: (row) => (row.rate_percent > 0 ? `${row.rate_percent}%` : <Empty />),
      skeleton: 'number',
    },
    {
      id: 'amount',
      header: t('column.amount'),
      width: 120,
      align: 'right',
      cell: (row) => <Change amount={row.amount} />,
      skeleton: 'number',
    },
    {
      id: 'owed',
      header: t('column.owed'),
      width: 110,
      align: 'right',
      leaves: 4,
      cell: (row) => (row.owed === 0 ? <Empty /> : <Quota quota={row.owed} />),
      skeleton: 'number',
    },
  ];
}

function useAdminColumns(): GridColumn<AdminDividendRecord>[] {
  const { t } = useTranslation('resellers');
  const [time, ...columns] = useColumns<AdminDividendRecord>();
  return [
    ...(time ? [time] : []),
    {
      id: 'agent',
      header: t('column.agent'),
      width: 140,
      cell: (row) => <UserLink id={row.agent_id} name={row.agent} />,
      csv: (row) => row.agent,
      skeleton: 'text',
    },
    ...columns,
  ];
}

function RecordCard({ record, name }: { record: DividendRecord; name: string }) {
  const { t } = useTranslation('resellers');
  return (
    <>
      <CardHead name={t(`kind.${record.kind}`)}>
        <Change amount={record.amount} />
      </CardHead>
      <CardLine>
        <span>{name}</span>
        <span>
          <Quota quota={record.base_quota} /> × {groupDigits(record.rate_percent)}%
        </span>
      </CardLine>
      <CardLine>
        <Moment timestamp={record.created_at} />
        {record.owed === 0 ? null : (
          <span>
            {t('column.owed')} <Quota quota={record.owed} />
          </span>
        )}
      </CardLine>
    </>
  );
}
