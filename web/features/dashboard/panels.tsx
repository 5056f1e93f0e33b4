/** The panels below the figures. A model keeps its colour in all of them. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RankedRow, UsageRow } from '#contract/dashboard.ts';
import { LOG_TYPE } from '#contract/logs.ts';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { heatOf, type Bucket, type ModelSeries, type Totals } from './figures.ts';
import { HeatMap } from './heat.tsx';
import { Latency } from './latency.tsx';
import type { LogFilter } from './log-filter.ts';
import { Panel } from './panel.tsx';
import { Ranking } from './ranking.tsx';
import type { Granularity } from './search.ts';
import classes from './dashboard.module.css';

interface PanelsProps {
  rows: readonly UsageRow[];
  series: readonly ModelSeries[];
  byBucket: readonly Totals[];
  buckets: readonly Bucket[];
  granularity: Granularity;
  filter: LogFilter;
  ranked: readonly RankedRow[] | undefined;
  ranksUsers: boolean;
  chart: ReactNode;
}

const SHOWN = 6;

export function Panels(props: PanelsProps) {
  const { t } = useTranslation('dashboard');
  const { series, filter, ranked = [] } = props;
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
  const failing = series
    .filter((one) => one.totals.errors > 0)
    .toSorted((left, right) => right.totals.errors - left.totals.errors)
    .slice(0, SHOWN);
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
          <Latency byBucket={props.byBucket} buckets={props.buckets} granularity={props.granularity} />
        </Panel>
        <Panel title={t('panel.errors')} hint={t('panel.errorsHint')}>
          {failing.length === 0 ? (
            <p className={classes.quiet}>{t('noErrors')}</p>
          ) : (
            <Ranking
              label={t('panel.errors')}
              filter={filter}
              lines={failing.map((one) => ({
                ...lineOf(one, one.totals.errors, <Count value={one.totals.errors} />),
                colour: 'var(--danger-mark)',
                search: one.model === undefined ? undefined : { model: one.model, type: LOG_TYPE.error },
                mark: false,
              }))}
            />
          )}
        </Panel>
      </div>
      <div className={classes.two}>
        <Panel title={t('panel.heat')} hint={t('panel.heatHint')}>
          <HeatMap heat={heatOf(props.rows)} />
        </Panel>
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
      </div>
    </>
  );
}
