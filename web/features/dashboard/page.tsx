/** The dashboard: six figures, spend by model, requests, time, failures, time of day, who spent most. One ruled sheet. */
import { ActionIcon, Button, SegmentedControl, TextInput, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconArrowsDiff, IconDownload, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import type { UsageRow } from '#contract/admin/dashboard.ts';
import { siteDay } from '#contract/site-day.ts';
import { unixSeconds } from '#contract/time.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useBalance } from '#web/api/balance.ts';
import { balanceQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { bucketsOf, mostDays, seriesOf, spanBefore, totalsByBucket, totalsOf } from './figures.ts';
import { chosenFrom } from './chosen.ts';
import { exportCsv } from './export.ts';
import { huesOf } from './model-hues.ts';
import { Panels } from './panels.tsx';
import {
  channelsQuery,
  failuresQuery,
  keptQuery,
  latencyQuery,
  moneyQuery,
  rankQuery,
  usageQuery,
} from './queries.ts';
import { RangeSelect } from './range-select.tsx';
import { dashboardSearch, GRANULARITIES, STEP_SECONDS } from './search.ts';
import { SpendChart } from './spend-chart.tsx';
import { Tiles } from './tiles.tsx';
import { useRefresh } from './use-refresh.ts';
import classes from './dashboard.module.css';

export function DashboardPage() {
  const { t } = useTranslation('dashboard');
  const user = useUser();
  const status = useStatus();
  const [search, change] = useAddress(dashboardSearch, { replaces: true });
  // The end of the span changes only on a refresh: a moving end would be a new query key each second.
  const [now, setNow] = useState(unixSeconds);
  const admin = user !== undefined && isAdmin(user.role);
  const chosen = chosenFrom(search, status, admin, now);
  const { granularity, zone, span, days, heatSpan, scope } = chosen;
  const { all } = scope;
  const heat = useQuery(usageQuery(scope, heatSpan));
  const usage = useQuery(usageQuery(scope, span));
  const before = useQuery(usageQuery(scope, spanBefore(span)));
  const ranked = useQuery(rankQuery(all && scope.username === '', span));
  const everybody = all && scope.username === '';
  const latency = useQuery(latencyQuery(scope, span, STEP_SECONDS[granularity]));
  const failures = useQuery(failuresQuery(scope, span));
  const channels = useQuery(channelsQuery(everybody, span));
  const { isReadable, balance } = useBalance();
  const runway = useQuery({ ...balanceQuery, enabled: !all && isReadable }).data?.runway_days;
  const money = useQuery(moneyQuery(all)).data;
  const keepsAnswers = status !== undefined && status.answer_cache !== 'off';
  const kept = useQuery(keptQuery(scope, span, keepsAnswers)).data;

  const rows = usage.data;
  const buckets = bucketsOf(span, granularity, zone);
  const filter = { from: span.from, to: span.to, ...(scope.username ? { user: scope.username } : {}) };
  const refresh = () => {
    setNow(unixSeconds());
    for (const query of [usage, before, heat, ranked, latency, failures]) void query.refetch();
    if (everybody) void channels.refetch();
  };
  useRefresh(status?.data_export_interval, refresh);
  const tools = (
    <>
      {admin ? (
        <SegmentedControl
          aria-label={t('scope.label')}
          value={all ? 'all' : 'self'}
          onChange={(value) => change({ scope: value === 'self' ? 'self' : undefined })}
          data={[
            { value: 'all', label: t('scope.all') },
            { value: 'self', label: t('scope.self') },
          ]}
        />
      ) : null}
      {all ? (
        <TextInput
          key={search.user ?? ''}
          className={classes.user}
          aria-label={t('user')}
          placeholder={t('user')}
          defaultValue={search.user ?? ''}
          onKeyDown={(event) => {
            if (event.key === 'Enter') change({ user: event.currentTarget.value.trim() || undefined });
          }}
          onBlur={(event) => {
            const value = event.currentTarget.value.trim() || undefined;
            if (value !== search.user) change({ user: value });
          }}
        />
      ) : null}
      <RangeSelect
        search={search}
        lastDays={chosen.lastDays}
        custom={chosen.custom}
        today={siteDay(zone, now)}
        most={mostDays(all)}
        onChange={change}
      />
      <SegmentedControl
        aria-label={t('granularity.label')}
        value={granularity}
        onChange={(value) => change({ by: GRANULARITIES.find((known) => known === value) })}
        data={GRANULARITIES.map((value) => ({ value, label: t(`granularity.${value}`) }))}
      />
      <Button
        variant={search.compare ? 'light' : 'default'}
        aria-pressed={search.compare === true}
        leftSection={<IconArrowsDiff size={15} stroke={1.6} />}
        onClick={() => change({ compare: search.compare ? undefined : true })}
      >
        {t('compare')}
      </Button>
      <Tooltip label={t('export')}>
        <ActionIcon aria-label={t('export')} disabled={!rows?.length} onClick={() => exportCsv(rows ?? [])}>
          <IconDownload size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('refresh')}>
        <ActionIcon aria-label={t('refresh')} loading={usage.isFetching} onClick={refresh}>
          <IconRefresh size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </>
  );

  const spendBefore = (earlier: readonly UsageRow[]) =>
    totalsByBucket(earlier, bucketsOf(spanBefore(span), granularity, zone)).map(({ quota }) => quota);

  const body = () => {
    if (status && !status.enable_data_export) return <EmptyState title={t('off')} />;
    if (usage.error && !rows) return <ErrorState message={errorMessage(usage.error)} onRetry={refresh} />;
    if (!rows) return <Loading shape="figures" />;
    const byBucket = totalsByBucket(rows, buckets);
    const series = seriesOf(rows, buckets, huesOf);
    const tiles = (
      <Tiles
        totals={totalsOf(rows)}
        before={before.data && totalsOf(before.data)}
        byBucket={byBucket}
        span={span}
        days={days}
        balance={balance}
        hidesBalance={!isReadable}
        runway={runway}
        money={all ? money : undefined}
        isOwn={!all}
        refused={failures.data?.refused ?? 0}
        kept={kept}
      />
    );
    if (rows.length === 0) {
      return (
        <>
          {tiles}
          <EmptyState
            title={t('empty.title')}
            text={t('empty.text')}
            action={
              <Button component={Link} to="/token">
                {t('empty.action')}
              </Button>
            }
          />
        </>
      );
    }
    return (
      <>
        {tiles}
        <Panels
          heat={{ rows: heat.data ?? [], span: heatSpan }}
          series={series}
          granularity={granularity}
          zone={zone}
          filter={filter}
          ranked={ranked.data}
          ranksUsers={everybody}
          latency={latency.data}
          failures={failures.data}
          channels={everybody ? channels.data : undefined}
          chart={
            <SpendChart
              series={series}
              buckets={buckets}
              granularity={granularity}
              zone={zone}
              filter={filter}
              span={span}
              before={search.compare && before.data ? spendBefore(before.data) : undefined}
            />
          }
        />
      </>
    );
  };

  return (
    <Page title={t('title')} actions={<div className={`wrap8 ${classes.tools}`}>{tools}</div>}>
      <div className={classes.phoneTools}>{tools}</div>
      <div className="scroll" tabIndex={0} role="region" aria-label={t('title')}>
        {body()}
      </div>
    </Page>
  );
}
