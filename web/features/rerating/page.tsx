/** The re-rating page: dry runs of other prices on past calls, what they would change, booking and undoing them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RerateRun } from '#contract/money/rerating.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { reratingColumns } from './columns.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { RunCard, RunDetail } from './detail.tsx';
import { reratingQueries } from './queries.ts';
import { useReratingSearch } from './search.ts';

export function ReratingPage() {
  const { t } = useTranslation('rerating');
  const [search, change] = useReratingSearch();
  const [isCreating, setCreating] = useState(false);
  const query = gridQuery(search);
  const list = useQuery(reratingQueries.list(query));
  const { data } = list;
  const detail = ({ id }: RerateRun) => <RunDetail id={id} />;
  const card = (run: RerateRun) => <RunCard run={run}>{search.open === run.id ? detail(run) : null}</RunCard>;
  const create = () => setCreating(true);
  return (
    <Page
      title={t('title')}
      summary={data && [{ value: groupDigits(data.total), label: t('total') }]}
      actions={<AddButton label={t('create.action')} onClick={create} />}
      phoneAction={<AddIcon label={t('create.action')} onClick={create} />}
    >
      <DataGrid
        name="rerating"
        label={t('list')}
        columns={reratingColumns(t)}
        rows={data?.items}
        total={data?.total ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ id }) => `#${id}`}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={
          <EmptyState
            title={t('empty.title')}
            text={t('empty.text')}
            action={<AddButton label={t('create.action')} onClick={create} />}
          />
        }
        totals={
          data && (
            <span>
              <b>{groupDigits(data.total)}</b> {t('totals', { count: data.total })}
            </span>
          )
        }
        onOpen={({ id }) => change({ open: search.open === id ? undefined : id }, { replace: true })}
        openRowId={String(search.open ?? '')}
        card={card}
        detail={detail}
        detailRowId={search.open === undefined ? undefined : String(search.open)}
      />
      {isCreating ? (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={({ id }) => change({ open: id, page: undefined })}
        />
      ) : null}
    </Page>
  );
}
