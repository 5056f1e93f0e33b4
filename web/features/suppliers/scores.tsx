/** The list of channels with their scores, worst first. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SupplierView } from '#contract/suppliers/suppliers.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { Page } from '#web/ui/page/page.tsx';
import { ChannelName, FoundText, isLow, Score, Weight } from './cells.tsx';
import { SupplierPanel } from './detail.tsx';
import type { PartProps } from './search.ts';
import { supplierQueries } from './queries.ts';

export function Scores({ search, change, tabs }: PartProps & { tabs: ReactNode }) {
  const { t } = useTranslation('suppliers');
  const list = useQuery(supplierQueries.list());
  const rows = list.data;
  const query = gridQuery({ ...search, size: search.size ?? 50 });
  const detail = (supplier: SupplierView) => <SupplierPanel id={supplier.channel_id} />;
  const card = (supplier: SupplierView) => (
    <>
      <CardHead name={supplier.channel_name}>
        <Score supplier={supplier} />
      </CardHead>
      {supplier.score === null ? null : (
        <CardLine>
          <span className="muted">
            <FoundText supplier={supplier} />
          </span>
        </CardLine>
      )}
      {search.open === supplier.channel_id ? detail(supplier) : null}
    </>
  );
  return (
    <Page
      title={t('title')}
      tabs={tabs}
      summary={[
        ...(rows ? [{ value: rows.filter(({ score }) => score !== null).length, label: t('judged') }] : []),
        ...(rows?.some(isLow)
          ? [
              {
                value: rows.filter(isLow).length,
                label: t('low', { count: rows.filter(isLow).length }),
                tone: 'danger' as const,
              },
            ]
          : []),
      ]}
    >
      <DataGrid
        name="suppliers"
        label={t('list')}
        columns={columns(t)}
        rows={rows?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={rows?.length ?? 0}
        rowId={({ channel_id }) => String(channel_id)}
        rowName={({ channel_name }) => channel_name}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        refreshing={list.isFetching && rows !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        onOpen={({ channel_id }) =>
          change({ open: search.open === channel_id ? undefined : channel_id }, { replace: true })
        }
        openRowId={String(search.open ?? '')}
        card={card}
        detail={detail}
        detailRowId={search.open === undefined ? undefined : String(search.open)}
      />
    </Page>
  );
}

type Translate = ReturnType<typeof useTranslation<'suppliers'>>['t'];

function columns(t: Translate): GridColumn<SupplierView>[] {
  return [
    {
      id: 'channel',
      header: t('column.channel'),
      width: 240,
      fixed: true,
      cell: (supplier) => <ChannelName supplier={supplier} />,
      csv: ({ channel_name }) => channel_name,
      skeleton: 'text',
    },
    {
      id: 'score',
      header: t('column.score'),
      width: 150,
      fixed: true,
      cell: (supplier) => <Score supplier={supplier} />,
      csv: ({ score }) => score ?? '',
      skeleton: 'status',
    },
    {
      id: 'found',
      header: t('column.found'),
      minWidth: 160,
      cell: (supplier) => <FoundText supplier={supplier} />,
      csv: ({ models }) => models.flatMap(({ findings }) => findings.map(({ signal }) => signal)).join(' '),
      skeleton: 'text',
    },
    {
      id: 'answers',
      header: t('column.answers'),
      width: 90,
      align: 'right',
      leaves: 2,
      cell: ({ answers }) => groupDigits(answers),
      csv: ({ answers }) => answers,
      skeleton: 'number',
    },
    {
      id: 'weight',
      header: t('column.weight'),
      width: 80,
      align: 'right',
      leaves: 3,
      cell: (supplier) => <Weight supplier={supplier} />,
      csv: ({ weight_factor }) => weight_factor,
      skeleton: 'number',
    },
    {
      id: 'computed',
      header: t('column.computed'),
      width: 124,
      leaves: 1,
      cell: ({ computed_at }) => <Moment timestamp={computed_at} />,
      skeleton: 'text',
    },
  ];
}
