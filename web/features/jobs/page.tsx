/** The jobs page: everything the gateway does by time, how it went last, and when it goes next. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { JobView } from '#contract/operating/jobs.ts';
import { gridError } from '#web/api/errors.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { Page } from '#web/ui/page/page.tsx';
import { useLanguage } from './cells.tsx';
import { jobColumns } from './columns.tsx';
import { JobCard, JobDetail } from './detail.tsx';
import { jobQueries } from './queries.ts';
import { jobSearch } from './search.ts';

/** A job of every node has a row for each node. */
const idOf = (job: JobView) => (job.lease === 'node' ? `${job.name} ${job.node}` : job.name);

const isBad = ({ state }: JobView) => state === 'failed' || state === 'interrupted';

export function JobsPage() {
  const { t } = useTranslation('jobs');
  const language = useLanguage();
  const [search, change] = useAddress(jobSearch, { replaces: true });
  const list = useQuery(jobQueries.list());
  const jobs = list.data;
  // All on one page unless the reader chooses: a job that fails must not be out of sight.
  const query = gridQuery({ ...search, size: search.size ?? 50 });
  const bad = jobs?.filter(isBad).length ?? 0;
  const running = jobs?.filter(({ state }) => state === 'running').length ?? 0;
  const detail = (job: JobView) => <JobDetail job={job} />;
  const card = (job: JobView) => (
    <JobCard job={job}>{search.open === idOf(job) ? detail(job) : null}</JobCard>
  );
  return (
    <Page
      title={t('title')}
      summary={[
        { value: jobs?.length ?? 0, label: t('total') },
        ...(running > 0 ? [{ value: running, label: t('running') }] : []),
        ...(bad > 0 ? [{ value: bad, label: t('failed'), tone: 'danger' as const }] : []),
      ]}
    >
      <DataGrid
        name="jobs"
        label={t('list')}
        columns={jobColumns(t, new Set(jobs?.flatMap(({ node }) => node || [])).size > 1)}
        rows={jobs?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={jobs?.length ?? 0}
        rowId={idOf}
        rowName={(job) => job.title[language]}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        refreshing={false}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        onOpen={(job) => change({ open: search.open === idOf(job) ? undefined : idOf(job) })}
        openRowId={search.open ?? ''}
        card={card}
        detail={detail}
        detailRowId={search.open}
      />
    </Page>
  );
}
