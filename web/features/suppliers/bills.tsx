/** Imported bills: what was billed, what was recorded, the difference. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { BillView } from '#contract/suppliers/supplier-bills.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { BillDetail } from './bill-detail.tsx';
import { BillForm } from './bill-form.tsx';
import { dollars, signedDollars } from './money.ts';
import type { PartProps } from './search.ts';
import { supplierQueries } from './queries.ts';

const daysOf = ({ first_day, last_day }: BillView) =>
  first_day === last_day ? first_day : `${first_day} – ${last_day}`;

const differenceOf = ({ billed, recorded, has }: BillView) =>
  has.cost ? signedDollars(billed.cost - recorded.cost) : '';

export function Bills({ search, change, tabs }: PartProps & { tabs: ReactNode }) {
  const { t } = useTranslation('suppliers');
  const list = useQuery(supplierQueries.bills());
  const rows = list.data;
  const query = gridQuery({ ...search, size: search.size ?? 20 });
  const open = () => change({ add: 'bill' });
  const close = () => change({ add: undefined });
  const detail = (bill: BillView) => <BillDetail id={bill.id} />;
  const card = (bill: BillView) => (
    <>
      <CardHead name={bill.name}>
        <span>{differenceOf(bill)}</span>
      </CardHead>
      <CardLine>
        <span className="muted">{daysOf(bill)}</span>
      </CardLine>
      {search.open === bill.id ? detail(bill) : null}
    </>
  );
  return (
    <Page
      title={t('title')}
      tabs={tabs}
      actions={<AddButton label={t('bill.import')} onClick={open} />}
      phoneAction={<AddIcon label={t('bill.import')} onClick={open} />}
      drawer={search.add === 'bill' ? <BillForm onClose={close} /> : null}
    >
      <DataGrid
        name="supplier-bills"
        label={t('bill.list')}
        columns={columns(t)}
        rows={rows?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={rows?.length ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        refreshing={list.isFetching && rows !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('bill.empty.title')} text={t('bill.empty.text')} />}
        onOpen={({ id }) => change({ open: search.open === id ? undefined : id }, { replace: true })}
        openRowId={String(search.open ?? '')}
        card={card}
        detail={detail}
        detailRowId={search.open === undefined ? undefined : String(search.open)}
      />
    </Page>
  );
}

type Translate = ReturnType<typeof useTranslation<'suppliers'>>['t'];

function columns(t: Translate): GridColumn<BillView>[] {
  return [
    {
      id: 'bill',
      header: t('column.bill'),
      minWidth: 280,
      fixed: true,
      cell: ({ name, shape }) => (
        <span className="row8 shrink nowrap">
          <span className="shrink cut">{name}</span>
          <span className="muted">{t(`bill.shapes.${shape}`)}</span>
        </span>
      ),
      skeleton: 'text',
    },
    {
      id: 'days',
      header: t('column.days'),
      width: 190,
      leaves: 2,
      cell: daysOf,
      skeleton: 'text',
    },
    {
      id: 'billed',
      header: t('column.billed'),
      width: 120,
      align: 'right',
      cell: ({ billed, has }) => (has.cost ? dollars(billed.cost) : ''),
      skeleton: 'number',
    },
    {
      id: 'recorded',
      header: t('column.recorded'),
      width: 130,
      align: 'right',
      leaves: 3,
      cell: ({ recorded }) => dollars(recorded.cost),
      skeleton: 'number',
    },
    {
      id: 'difference',
      header: t('column.difference'),
      width: 120,
      align: 'right',
      fixed: true,
      cell: differenceOf,
      skeleton: 'number',
    },
    {
      id: 'unmatched',
      header: t('column.unmatched'),
      width: 100,
      align: 'right',
      leaves: 1,
      cell: ({ unmatched_billed, unmatched_recorded }) => `${unmatched_billed} / ${unmatched_recorded}`,
      skeleton: 'number',
    },
  ];
}
