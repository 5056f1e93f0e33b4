/** The log page: badges, histogram, filters in the address, and rows that open to show their charge. */
import { Button, Menu, Tooltip } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { EXPORT_FORMATS } from '#contract/lists.ts';
import type { LogView } from '#contract/admin/logs.ts';
import { unixSeconds } from '#contract/time.ts';
import { gridError } from '#web/api/errors.ts';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { Page, Summary } from '#web/ui/page/page.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import { useCustomRange } from '#web/ui/range/use-custom-range.tsx';
import { LogCard } from './card.tsx';
import { logColumns } from './columns.tsx';
import { LogDetail } from './detail.tsx';
import { downloadLogs, type ExportFormat } from './export.ts';
import { useLogFacets } from './facets.tsx';
import { Histogram } from './histogram.tsx';
import { detailsOf, type LogDetails } from './other.ts';
import { NoLogs } from './no-logs.tsx';
import { logQueries, type LogFilter } from './queries.ts';
import { rangeOf } from './range.ts';
import { LogTotals, useLogSummary } from './summary.tsx';
import { FROM_START, NO_FILTER, useLogSearch } from './use-log-search.ts';
import { LogViews } from './views.tsx';
import classes from './logs.module.css';

const UserCard = lazy(() => import('./user-card.tsx').then((file) => ({ default: file.UserCard })));

export function LogsPage() {
  const { t } = useTranslation('logs');
  const phone = usePhone();
  const user = useUser();
  const admin = user !== undefined && isAdmin(user.role);
  const isShared = useScope() !== undefined;
  const [search, change] = useLogSearch();
  // One point in time for all queries of the page, changed by a refresh: a moving one would be a new query key each second.
  const [now, setNow] = useState(unixSeconds);
  const range = rangeOf(search, now);
  const filter: LogFilter = {
    ...range,
    type: search.type,
    model: search.model,
    token: search.token,
    group: search.group,
    request: search.request,
    cause: search.cause,
    member: search.member,
    service_account: search.service_account,
    project: search.project,
    tag: search.tag,
    ...(admin ? { user: search.user, channel: search.channel } : {}),
  };
  const live = search.live === true;
  useEffect(() => {
    if (!live) return undefined;
    // The range ends an hour ahead; a page that is open for longer moves the range.
    const timer = setInterval(() => setNow(unixSeconds()), 10 * 60_000);
    return () => clearInterval(timer);
  }, [live]);
  const query = gridQuery(search);
  const list = useQuery(logQueries.list(admin, filter, query, live));
  const stat = useQuery(logQueries.stat(admin, filter, live));
  const histogram = useQuery(logQueries.histogram(admin, filter, live));
  const offered = useQuery(logQueries.facets(admin, range));
  const showRange = ({ from, to }: TimeRange) => change({ from, to, range: undefined, ...FROM_START });
  const customRange = useCustomRange(range, showRange);
  const [shownUser, setShownUser] = useState<LogView>();

  const exporting = useMutation({
    mutationFn: (format: ExportFormat) => downloadLogs(filter, admin, format),
    onSuccess: () => toast.success(t('action.exported')),
  });
  const facets = useLogFacets({
    search,
    change,
    offered: offered.data,
    admin,
    onCustomRange: customRange.open,
  });
  const details = useDetails(list.data?.items);
  const toggle = useCallback(
    (row: LogView) => change({ open: row.id === search.open ? undefined : row.id }, { replace: true }),
    [change, search.open],
  );
  const columns = useMemo(
    () =>
      logColumns({
        t,
        admin,
        isShared,
        openId: search.open,
        details,
        onToggle: toggle,
        onUser: setShownUser,
      }),
    [t, admin, isShared, search.open, details, toggle],
  );
  const channels = offered.data?.channels;
  // A deleted channel is not offered; rows of its time still have its name.
  const channelName = (id: number) =>
    channels?.find((channel) => channel.id === id)?.name ??
    list.data?.items.find(({ channel, channel_name }) => channel === id && channel_name)?.channel_name;
  const refresh = () => {
    setNow(unixSeconds());
    for (const read of [list, stat, histogram]) void read.refetch();
  };
  const summary = useLogSummary(stat.data);
  const openRow = list.data?.items.some((row) => row.id === search.open) ? String(search.open) : undefined;
  const detail = (row: LogView) => (
    <LogDetail
      row={row}
      details={details(row)}
      admin={admin}
      channelName={channelName}
      onFilter={(next) => change({ ...next, ...FROM_START })}
    />
  );
  const card = (row: LogView) => (
    <LogCard
      row={row}
      details={details(row)}
      open={String(row.id) === openRow}
      admin={admin}
      channelName={channelName}
    />
  );

  const actions = (
    <>
      <LogViews search={search} change={change} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            loading={exporting.isPending}
            leftSection={<IconDownload size={15} stroke={1.6} />}
          >
            {t('action.export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EXPORT_FORMATS.map((format) => (
            <Menu.Item key={format} onClick={() => exporting.mutate(format)}>
              {t(format === 'csv' ? 'action.exportCsv' : 'action.exportJsonl')}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Tooltip label={live ? t('action.liveOn') : t('action.liveOff')}>
        <Button
          variant="default"
          aria-pressed={live}
          leftSection={<i className={classes.liveDot} data-on={live || undefined} aria-hidden />}
          onClick={() => change({ live: live ? undefined : true, ...FROM_START })}
        >
          {t('action.live')}
        </Button>
      </Tooltip>
    </>
  );

  return (
    <Page title={t('title')} summary={summary} actions={actions}>
      {phone ? (
        <div className={classes.phoneSummary}>
          <Summary numbers={summary.filter(({ isWideOnly }) => !isWideOnly)} />
        </div>
      ) : null}
      <DataGrid
        name="logs"
        label={t('list')}
        columns={columns}
        rows={list.data?.items}
        total={list.data?.total ?? 0}
        rowId={(row) => String(row.id)}
        rowName={(row) => row.model_name || row.content || String(row.id)}
        query={query}
        onQueryChange={(next) => change({ ...searchOfQuery(next), open: undefined })}
        search={{
          value: search.request ?? '',
          onChange: (request) => change({ request: request || undefined, ...FROM_START }, { replace: true }),
          placeholder: t('filter.request'),
        }}
        facets={facets}
        onClearFilters={() => change(NO_FILTER)}
        tools={phone ? actions : undefined}
        notice={<Histogram data={histogram.data} onZoom={showRange} channelName={channelName} />}
        refreshing={list.isFetching && list.data !== undefined && !live}
        error={gridError(list.error)}
        onRefresh={refresh}
        empty={<NoLogs admin={admin} onMonth={() => change({ range: 'month', ...FROM_START })} />}
        totals={<LogTotals page={list.data} stat={stat.data} />}
        onOpen={toggle}
        openRowId={openRow}
        detailRowId={openRow}
        detail={detail}
        card={card}
      />
      {customRange.dialog}
      <Suspense>
        {shownUser && admin ? (
          <UserCard
            userId={shownUser.user_id}
            username={shownUser.username}
            onClose={() => setShownUser(undefined)}
            onFilter={(name) => {
              setShownUser(undefined);
              change({ user: name, ...FROM_START });
            }}
          />
        ) : null}
      </Suspense>
    </Page>
  );
}

/** Each row is parsed once for all of its cells. */
function useDetails(rows: readonly LogView[] | undefined): (row: LogView) => LogDetails {
  return useMemo(() => {
    const known = new Map((rows ?? []).map((row) => [row.id, detailsOf(row)]));
    return (row) => known.get(row.id) ?? detailsOf(row);
  }, [rows]);
}
