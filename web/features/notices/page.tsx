/** The history of notices: a user sees the own ones, the super admin also those of everybody. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { NoticeView } from '#contract/admin/notices.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { Page } from '#web/ui/page/page.tsx';
import { noticeColumns } from './columns.tsx';
import { NoticeCard, NoticeDetail } from './detail.tsx';
import { useEventName } from './events.ts';
import { noticeQueries } from './queries.ts';
import { SCOPES, useNoticeSearch, type ChangeSearch, type NoticeSearch } from './search.ts';

export function NoticesPage() {
  const { t } = useTranslation('notices');
  const user = useUser();
  const root = user !== undefined && isRoot(user.role);
  const [address, change] = useNoticeSearch();
  // A link of the super admin shows others their own notices.
  const search = root ? address : { ...address, scope: undefined, state: undefined };
  const query = gridQuery(search);
  const list = useQuery(noticeQueries.history(search, query));
  const eventName = useEventName();
  const { data } = list;
  const facets = useFacets(search, change);
  const detail = (notice: NoticeView) => <NoticeDetail notice={notice} />;
  const card = (notice: NoticeView) => (
    <NoticeCard notice={notice}>{search.open === notice.id ? detail(notice) : null}</NoticeCard>
  );
  return (
    <Page title={t('title')} tabs={root ? <ScopeSwitch search={search} change={change} /> : undefined}>
      <DataGrid
        name="notices"
        label={t('list')}
        columns={noticeColumns(t, eventName, search.scope !== undefined)}
        rows={data?.items}
        total={data?.total ?? 0}
        rowId={(notice) => String(notice.id)}
        rowName={(notice) => notice.title}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        facets={search.scope === undefined ? [] : facets}
        onClearFilters={() => change({ state: undefined, page: undefined })}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
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
    </Page>
  );
}

interface ScopeProps {
  search: NoticeSearch;
  change: ChangeSearch;
}

function ScopeSwitch({ search, change }: ScopeProps) {
  const { t } = useTranslation('notices');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('scope.label')}
      value={search.scope ?? 'own'}
      onChange={(value) =>
        change({
          scope: SCOPES.find((scope) => scope === value),
          state: undefined,
          page: undefined,
          open: undefined,
        })
      }
      data={(['own', ...SCOPES] as const).map((value) => ({ value, label: t(`scope.${value}`) }))}
    />
  );
}

function useFacets(search: NoticeSearch, change: ChangeSearch): Facet[] {
  const { t } = useTranslation('notices');
  return [
    {
      id: 'state',
      label: t('column.state'),
      options: [{ value: 'failed', label: t('state.dead') }],
      value: search.state === undefined ? [] : [search.state],
      onChange: ([value]) => change({ page: undefined, state: value === 'failed' ? 'failed' : undefined }),
    },
  ];
}
