/** The panels below the figures. A model keeps its colour in all of them. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type {
  ChannelUsage,
  FailureView,
  LatencyPiece,
  RankedRow,
  UsageRow,
} from '#contract/admin/dashboard.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { useScope } from '#web/api/scope.ts';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { failureKinds } from './failures.ts';
import { heatOf, type ModelSeries, type Span } from './figures.ts';
import { Groups } from './groups.tsx';
import { HeatMap } from './heat.tsx';
import { Latency } from './latency.tsx';
import type { LogFilter } from './log-filter.ts';
import { Panel } from './panel.tsx';
import { Ranking } from './ranking.tsx';
import type { Granularity } from './search.ts';
import { ChannelTiles } from './channel-tiles.tsx';
import classes from './dashboard.module.css';

interface PanelsProps {
  /** A week at least. */
  heat: { rows: readonly UsageRow[]; span: Span };
  series: readonly ModelSeries[];
  granularity: Granularity;
  zone: string;
  filter: LogFilter;
  ranked: readonly RankedRow[] | undefined;
  ranksUsers: boolean;
  latency: { bucket_seconds: number; pieces: readonly LatencyPiece[] } | undefined;
  failures: FailureView | undefined;
  /** For administrators who look at all users. */
  channels: readonly ChannelUsage[] | undefined;
  chart: ReactNode;
}

const SHOWN = 6;

export function Panels(props: PanelsProps) {
  const { t } = useTranslation('dashboard');
  const { t: common } = useTranslation('ui');
  const isOrganization = useScope() !== undefined;
  const { series, filter, ranked = [], latency, failures } = props;
  const lineOf = (one: ModelSeries, value: number, text: ReactNode) => ({
    id: one.model ?? '*',
    name: one.model ?? t('other'),
    value,
    text,
    colour: `var(--chart-${one.hue})`,
    search: one.model === undefined ? undefined : { model: one.model, type: LOG_TYPE.consumption },
    mark: true,
  });
  const byCount = series.toSorted((left, right) => right.totals.count - left.totals.count).slice(0, SHOWN);
  const rankedName = (row: RankedRow) =>
    row.name || (row.id === 0 && !props.ranksUsers ? t('playground') : `#${row.id} ${t('removed')}`);
  return (
    <>
      <div className={classes.wide}>
        <Panel title={t('panel.spend')} hint={t('panel.spendHint')}>
          {props.chart}
        </Panel>
        <Panel title={t('panel.share')} hint={t('panel.shareHint')}>
          <Ranking
            label={t('panel.share')}
            filter={filter}
            lines={series.map((one) => lineOf(one, one.totals.quota, <Quota quota={one.totals.quota} />))}
          />
        </Panel>
      </div>
      <div className={classes.three}>
        <Panel title={t('panel.requests')} hint={t('panel.requestsHint')}>
          <Ranking
            label={t('panel.requests')}
            filter={filter}
            lines={byCount.map((one) => lineOf(one, one.totals.count, <Count value={one.totals.count} />))}
          />
        </Panel>
        <Panel title={t('panel.latency')} hint={t('panel.latencyHint')}>
          {latency && latency.pieces.some(({ sample }) => sample > 0) ? (
            <Latency
              pieces={latency.pieces}
              bucketSeconds={latency.bucket_seconds}
              granularity={props.granularity}
              zone={props.zone}
              filter={filter}
            />
          ) : (
            <p className={classes.muted}>{latency ? t('noLatency') : null}</p>
          )}
        </Panel>
        <Panel
          title={t('panel.errors')}
          hint={
            failures && failures.total > 0
              ? t('panel.errorsHint', { total: groupDigits(failures.total) })
              : undefined
          }
        >
          {failures?.total === 0 ? <p className={classes.muted}>{t('noErrors')}</p> : null}
          {failures && failures.total > 0 ? (
            <>
              <Ranking
                label={t('panel.errors')}
                filter={filter}
                lines={failureKinds(failures)
                  .slice(0, SHOWN)
                  .map(({ cause, count }) => ({
                    id: cause,
                    name: common(`cause.${cause}`),
                    value: count,
                    text: <Count value={count} />,
                    colour: 'var(--danger-mark)',
                    search: { type: cause === 'refused' ? LOG_TYPE.refused : LOG_TYPE.error, cause },
                  }))}
              />
              {failures.read < failures.total ? (
                <p className="top6 size12 muted">
                  {failures.read === 0
                    ? t('failuresGone')
                    : t('failuresRead', { count: failures.read, shown: groupDigits(failures.read) })}
                </p>
              ) : null}
            </>
          ) : null}
        </Panel>
      </div>
      <div className={props.channels ? classes.three : classes.two}>
        <Panel title={t('panel.heat')} hint={t('panel.heatHint', { zone: props.zone })}>
          <HeatMap
            heat={heatOf(props.heat.rows, props.heat.span, props.zone)}
            zone={props.zone}
            filter={filter}
          />
        </Panel>
        {isOrganization ? (
          <Groups filter={filter} />
        ) : (
          <Panel title={props.ranksUsers ? t('panel.users') : t('panel.tokens')}>
            <Ranking
              label={props.ranksUsers ? t('panel.users') : t('panel.tokens')}
              filter={filter}
              lines={ranked.slice(0, SHOWN).map((row) => ({
                id: String(row.id),
                name: rankedName(row),
                value: row.quota,
                text: <Quota quota={row.quota} />,
                colour: 'var(--accent)',
                search:
                  row.name === '' ? undefined : props.ranksUsers ? { user: row.name } : { token: row.name },
              }))}
            />
          </Panel>
        )}
        {props.channels ? (
          <Panel title={t('panel.tiles')} hint={t('panel.tilesHint')}>
            <ChannelTiles channels={props.channels} />
          </Panel>
        ) : null}
      </div>
      <p className={`note ${classes.zone}`}>{t('zoneNote', { zone: props.zone })}</p>
    </>
  );
}
