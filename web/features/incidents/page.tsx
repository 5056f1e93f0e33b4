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

const NOT_WRITTEN = { write: undefined, models: undefined, begun: undefined };

/** One that is going on has all of these models already. */
const isAlready = ({ ended_at, models }: Incident, asked: readonly string[]): boolean =>
  ended_at === 0 && asked.length > 0 && asked.every((model) => models.includes(model));

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
  const write = () => change({ ...NOT_WRITTEN, write: true });
  const about = { models: search.models?.split(',') ?? [], begun_at: search.begun };
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
          about={about}
          running={data?.find((incident) => isAlready(incident, about.models))}
          onClose={() => change(NOT_WRITTEN, { replace: true })}
          onSaved={({ id }) => change({ ...NOT_WRITTEN, open: id, page: undefined })}
          onRunning={({ id }) => change({ ...NOT_WRITTEN, open: id, page: undefined }, { replace: true })}
        />
      )}
    </Page>
  );
}
