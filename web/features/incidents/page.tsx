/** Incidents of the status page: those that were measured, and those that operators write. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Incident } from '#contract/admin/incidents.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { incidentColumns } from './columns.tsx';
import { IncidentCard, IncidentDetail } from './detail.tsx';
import { IncidentDialog } from './incident-dialog.tsx';
import { incidentQueries } from './queries.ts';
import { useIncidentSearch } from './search.ts';

export function IncidentsPage() {
  const { t } = useTranslation('incidents');
  const [search, change] = useIncidentSearch();
  const query = gridQuery(search);
  const list = useQuery(incidentQueries.list());
  const { data } = list;
  const from = (query.page - 1) * query.pageSize;
  const going = data?.filter(({ ended_at }) => ended_at === 0).length ?? 0;
  const detail = (incident: Incident) => <IncidentDetail incident={incident} />;
  const card = (incident: Incident) => (
    <IncidentCard incident={incident}>{search.open === incident.id ? detail(incident) : null}</IncidentCard>
  );
  const write = () => change({ write: true });
  return (
    <Page
      title={t('title')}
      summary={
        data && [
          { value: groupDigits(data.length), label: t('total') },
          ...(going > 0 ? [{ value: groupDigits(going), label: t('going') }] : []),
        ]
      }
      actions={
        <>
          <Button component="a" href="/status" variant="default">
            {t('page')}
          </Button>
          <AddButton label={t('action.write')} onClick={write} />
        </>
      }
      phoneAction={<AddIcon label={t('action.write')} onClick={write} />}
    >
      <DataGrid
        name="incidents"
        label={t('list')}
        columns={incidentColumns(t)}
        rows={data?.slice(from, from + query.pageSize)}
        total={data?.length ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ title_en, title_zh }) => title_en || title_zh}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={
          <EmptyState
            title={t('empty.title')}
            text={t('empty.text')}
            action={<AddButton label={t('action.write')} onClick={write} />}
          />
        }
        onOpen={({ id }) => change({ open: search.open === id ? undefined : id }, { replace: true })}
        openRowId={String(search.open ?? '')}
        card={card}
        detail={detail}
        detailRowId={search.open === undefined ? undefined : String(search.open)}
      />
      {search.write === undefined ? null : (
        <IncidentDialog
          incident={undefined}
          onClose={() => change({ write: undefined }, { replace: true })}
          onSaved={({ id }) => change({ write: undefined, open: id, page: undefined })}
        />
      )}
    </Page>
  );
}
