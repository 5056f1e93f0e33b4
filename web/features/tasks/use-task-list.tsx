/** What the pages of drawings and other tasks share: the rows, the filters and the state in the URL. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { unixSeconds } from '#contract/time.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import { rangeFacet } from '#web/ui/range/range-facet.ts';
import { useCustomRange } from '#web/ui/range/use-custom-range.tsx';
import { channelFacet } from './channel-facet.ts';
import { DRAWINGS, type Platform } from './platforms.ts';
import { FROM_START, NO_FILTER, taskSearch, type TaskSearch } from './search.ts';
import { isRunning, statusName, taskRange, type TaskRow } from './state.ts';

const RUNNING_MILLISECONDS = 5000;

export function useTaskList<Row extends TaskRow>(platform: Platform<Row>) {
  const { t } = useTranslation('tasks');
  const { name, opened } = platform;
  const user = useUser();
  const admin = user !== undefined && isAdmin(user.role);
  const [search, change] = useAddress(taskSearch);
  // One point in time for all queries of the page, changed by a refresh.
  const [now, setNow] = useState(unixSeconds);
  const range = taskRange(search, name, now);
  const { id, action, status, channel } = search;
  const filter = { ...range, id, action, status, ...(admin ? { channel } : {}) };
  const query = gridQuery(search);
  const paging = { p: query.page - 1, page_size: query.pageSize };
  const list = useQuery({
    queryKey: [name, admin, filter, paging],
    queryFn: ({ signal }) => platform.load({ admin, filter, paging, signal }),
    placeholderData: keepPreviousData,
    // A page with unfinished tasks is polled.
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? RUNNING_MILLISECONDS : false),
  });
  const rows = list.data?.data;
  const set = (next: Partial<TaskSearch>) => change({ ...next, ...FROM_START });
  const customRange = useCustomRange(range, ({ from, to }) => set({ from, to, range: undefined }));
  const open = useCallback(
    (row: Row | undefined) => change({ [opened]: row?.id }, { replace: true }),
    [change, opened],
  );
  const shown = rows?.find((row) => row.id === search[opened]);

  const one = (value: string | number | undefined) => (value === undefined ? [] : [String(value)]);
  const facets: (Facet | false)[] = [
    rangeFacet({
      search,
      names: platform.ranges,
      words: {
        label: t('range.label'),
        standard: t(`${name}.range`),
        custom: t('range.custom'),
        nameOf: (each) => t(`range.${each}`),
      },
      onCustom: customRange.open,
      onChange: set,
    }),
    {
      id: 'action',
      label: t('column.action'),
      options: platform.actions.map((value) => ({ value, label: t(`action.${value}`) })),
      value: one(action),
      onChange: ([value]) => set({ action: value }),
    },
    {
      id: 'status',
      label: t('column.status'),
      options: platform.statuses.map((value) => ({
        value,
        label: t(`status.${statusName(value, name === DRAWINGS.name)}`),
      })),
      value: one(status),
      onChange: ([value]) => set({ status: value }),
    },
    admin &&
      channelFacet(
        { label: t('column.channel'), typed: t('filter.channel') },
        rows ?? [],
        channel,
        (chosen) => set({ channel: chosen }),
      ),
  ];

  return {
    t,
    admin,
    rows,
    shown,
    open,
    rangeDialog: customRange.dialog,
    /** For `DataGrid`. */
    grid: {
      name,
      label: t(`${name}.list`),
      rows,
      total: list.data?.total ?? 0,
      rowId: (row: Row) => String(row.id),
      rowName: (row: Row) => row.task_id || row.prompt || String(row.id),
      query,
      onQueryChange: (next: Partial<GridQuery>) => change({ ...searchOfQuery(next), [opened]: undefined }),
      search: {
        value: id ?? '',
        onChange: (value: string) => change({ id: value || undefined, ...FROM_START }, { replace: true }),
        placeholder: t('filter.id'),
      },
      facets: facets.filter((facet) => facet !== false),
      onClearFilters: () => change(NO_FILTER),
      refreshing: list.isFetching && rows !== undefined,
      error: gridError(list.error),
      onRefresh: () => {
        setNow(unixSeconds());
        void list.refetch();
      },
      empty: <EmptyState title={t(`${name}.emptyTitle`)} text={t(`${name}.emptyText`)} />,
      openRowId: shown ? String(shown.id) : undefined,
    },
  };
}

export type TaskWords = ReturnType<typeof useTranslation<'tasks'>>['t'];
