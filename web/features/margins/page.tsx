/** The margin page: what calls brought against what they cost, summed by one noun, with a click to the next. */
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import {
  marginShare,
  type MarginDimension,
  type MarginReport,
  type MarginRow,
} from '#contract/money/margins.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { EmptyState, NotAllowed } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridSort } from '#web/ui/grid/types.ts';
import { Page } from '#web/ui/page/page.tsx';
import { CacheText } from '#web/ui/thing/cache-line.tsx';
import { isUnknown, marginColumns, MarginAmount, nameOf, Share } from './columns.tsx';
import { DayChart } from './day-chart.tsx';
import { MarginEquation } from './equation.tsx';
import { HedgeLine } from './hedge-line.tsx';
import { HoldExcessLine } from './hold-excess.tsx';
import { marginQueries, NEXT } from './queries.ts';
import { DAY_CHOICES, DIMENSIONS, useMarginSearch, type ChangeSearch, type MarginSearch } from './search.ts';
import classes from './margins.module.css';

export function MarginsPage() {
  const { t } = useTranslation('margins');
  const user = useUser();
  if (user && isAdmin(user.role)) return <Margins />;
  return (
    <Page title={t('title')}>
      <NotAllowed />
    </Page>
  );
}

function Margins() {
  const { t } = useTranslation('margins');
  const display = useDisplay();
  const [search, change] = useMarginSearch();
  const by = search.by ?? 'channel';
  const report = useQuery(marginQueries.report(search));
  const today = useQuery(marginQueries.report({ days: 1, by: 'day' })).data?.total;
  const { data } = report;
  const query = gridQuery({ ...search, size: search.size ?? 50 });
  const rows = data && sorted(data.rows, query.sort);
  const open = (row: MarginRow) => {
    const value = by === 'model' || by === 'group' || by === 'day' ? row.key : Number(row.key);
    change({ [by]: value, by: NEXT[by], page: undefined, sort: undefined });
  };
  const card = (row: MarginRow) => (
    <>
      <CardHead name={nameOf(row, by, t)}>
        <MarginAmount row={row} />
      </CardHead>
      <CardLine>
        <span className="size12 muted nowrap">
          {t('column.revenue')} {renderQuota(row.revenue, display)} · {t('column.cost')}{' '}
          {isUnknown(row) ? t('unknown') : renderQuota(row.cost + row.fees, display)}
        </span>
        <Share row={row} />
      </CardLine>
    </>
  );
  return (
    <Page
      title={t('title')}
      summary={
        today && [
          {
            value: renderQuota(today.margin, display),
            label: t('today'),
            isFiltered: search.days === 1 && search.day === undefined,
            onFilter: () => change({ days: 1, day: undefined, page: undefined }),
          },
        ]
      }
      actions={
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/channel" search={{ suppliers: true }} />}
        >
          {t('suppliers')}
        </Button>
      }
    >
      <DataGrid
        name={`margins-${by}`}
        label={t('list')}
        columns={marginColumns(t, by, display)}
        rows={rows?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={rows?.length ?? 0}
        rowId={(row) => row.key}
        rowName={(row) => nameOf(row, by, t)}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        tools={<Tools search={search} by={by} change={change} />}
        notice={<Notice search={search} change={change} data={data} />}
        refreshing={report.isFetching && data !== undefined}
        error={gridError(report.error)}
        onRefresh={() => void report.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        totals={
          data && (
            <span>
              <b>{groupDigits(data.row_count)}</b> {t('rows', { count: data.row_count })}
            </span>
          )
        }
        fetchAll={async () => rows ?? []}
        onOpen={open}
        card={card}
      />
    </Page>
  );
}

function sorted(rows: readonly MarginRow[], sort: GridSort | undefined): readonly MarginRow[] {
  if (sort === undefined) return rows;
  const value = (row: MarginRow): number =>
    sort.key === 'share' ? (marginShare(row) ?? Number.NEGATIVE_INFINITY) : row[sort.key as 'margin'];
  const direction = sort.order === 'asc' ? 1 : -1;
  return rows.toSorted((left, right) => direction * (value(left) - value(right)));
}

function Tools({ search, by, change }: { search: MarginSearch; by: MarginDimension; change: ChangeSearch }) {
  const { t } = useTranslation('margins');
  return (
    <>
      <SegmentedControl
        className={classes.by}
        aria-label={t('by.label')}
        value={by}
        onChange={(value) =>
          change({ by: DIMENSIONS.find((known) => known === value), page: undefined, sort: undefined })
        }
        data={DIMENSIONS.map((value) => ({ value, label: t(`by.${value}`) }))}
      />
      <SegmentedControl
        className={classes.days}
        aria-label={t('days.label')}
        value={search.day === undefined ? String(search.days ?? 30) : ''}
        onChange={(value) =>
          change({
            days: DAY_CHOICES.find((count) => String(count) === value),
            day: undefined,
            page: undefined,
          })
        }
        data={DAY_CHOICES.map((count) => ({
          value: String(count),
          label: count === 1 ? t('days.today') : t('days.short', { days: count }),
        }))}
      />
    </>
  );
}

const FILTERS = ['supplier', 'channel', 'model', 'group', 'user', 'day'] as const;

/** The way of the drill-down, each step removable, and how the figures are made. */
function Notice({
  search,
  change,
  data,
}: {
  search: MarginSearch;
  change: ChangeSearch;
  data: MarginReport | undefined;
}) {
  const { t } = useTranslation('margins');
  const set = FILTERS.filter((name) => search[name] !== undefined);
  const isCut = data !== undefined && data.row_count > data.rows.length;
  const valueOf = (name: (typeof FILTERS)[number]): string => {
    if (name !== 'supplier' && name !== 'channel' && name !== 'user') return String(search[name]);
    if (name === 'supplier' && search.supplier === 0) return t('noSupplier');
    return data?.filter_names[name] ?? `#${search[name]}`;
  };
  return (
    <>
      {set.length === 0 ? null : (
        <div className={`row6 flow6 ${classes.filters}`}>
          {set.map((name) => {
            const label = t(`by.${name}`);
            const value = valueOf(name);
            return (
              <Button
                key={name}
                variant="light"
                size="compact-xs"
                rightSection={<IconX size={12} stroke={1.8} />}
                aria-label={t('filter.clear', { label, value })}
                onClick={() => change({ [name]: undefined, by: name, page: undefined, sort: undefined })}
              >
                {label}: {value}
              </Button>
            );
          })}
          {search.channel === undefined ? null : (
            <Button
              variant="subtle"
              size="compact-xs"
              renderRoot={(props) => (
                <Link {...props} to="/channel/$id" params={{ id: String(search.channel) }} />
              )}
            >
              {t('openChannel')}
            </Button>
          )}
          {search.model === undefined ? null : (
            <Button
              variant="subtle"
              size="compact-xs"
              renderRoot={(props) => <Link {...props} to="/prices" search={{ q: search.model }} />}
            >
              {t('openPrice')}
            </Button>
          )}
        </div>
      )}
      {data && data.total.calls + data.total.fees > 0 ? <MarginEquation total={data.total} /> : null}
      <DayChart search={search} />
      <NoticeLine>
        {t('note', { zone: data?.time_zone ?? 'UTC' })}
        {isCut ? ` ${t('more', { shown: data.rows.length, total: data.row_count })}` : ''}
      </NoticeLine>
      {data?.cache && data.cache.cached_calls > 0 ? (
        <NoticeLine>
          <CacheText cache={data.cache} />
        </NoticeLine>
      ) : null}
      {data && data.hedges.calls > 0 ? <HedgeLine hedges={data.hedges} /> : null}
      {data && data.shadows.calls > 0 ? <HedgeLine hedges={data.shadows} kind="shadows" /> : null}
      {data?.hold_excess ? <HoldExcessLine excess={data.hold_excess} /> : null}
    </>
  );
}
