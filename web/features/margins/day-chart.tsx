/** Margins by day, to scale: used above the line in its three parts, a loss below it. A column opens its day. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { columnsOf, scaleOf, type DayColumn } from './day-figures.ts';
import { marginQueries } from './queries.ts';
import type { MarginSearch } from './search.ts';
import classes from './day-chart.module.css';

const PARTS = ['cost', 'margin', 'unknown', 'loss'] as const;

export function DayChart({ search }: { search: MarginSearch }) {
  const { t } = useTranslation('margins');
  const display = useDisplay();
  const { data } = useQuery(marginQueries.report({ ...search, by: 'day' }));
  if (data === undefined || data.from === data.to || data.rows.length === 0) return null;
  const columns = columnsOf(data.rows, data.from, data.to);
  const { top, bottom, share } = scaleOf(columns);
  const money = (quota: number) => renderQuota(quota, display);
  const shown = PARTS.filter((part) => columns.some((column) => column[part] > 0));
  const titleOf = ({ day, row }: DayColumn) =>
    row === undefined
      ? t('chart.none', { day })
      : t('chart.day', {
          day,
          used: money(row.revenue),
          cost: money(row.cost + row.fees),
          margin: money(row.margin),
          unknown: money(row.unknown_revenue),
        });
  return (
    <figure className={classes.chart} aria-label={t('chart.label', { from: data.from, to: data.to })}>
      <div className={classes.plot}>
        <ol className={classes.axis} aria-hidden>
          <li>{money(top)}</li>
          <li style={{ top: `${share(top)}%` }}>{money(0)}</li>
          {bottom > 0 && share(bottom) > 14 ? <li style={{ top: '100%' }}>{money(-bottom)}</li> : null}
        </ol>
        <div className={classes.columns}>
          <i className={classes.zero} style={{ top: `${share(top)}%` }} aria-hidden />
          {columns.map((column) => (
            // For the pointer only: the keyboard has the table by day.
            <Link
              key={column.day}
              to="/margins"
              search={{ ...search, day: column.day, by: 'channel' }}
              className={classes.column}
              title={titleOf(column)}
              data-day={column.day}
              tabIndex={-1}
              aria-hidden
            >
              <span className={classes.above} style={{ height: `${share(top)}%` }}>
                {(['unknown', 'margin', 'cost'] as const).map((part) =>
                  column[part] > 0 ? (
                    <i key={part} data-part={part} style={{ height: `${(column[part] / top) * 100}%` }} />
                  ) : null,
                )}
              </span>
              {column.loss > 0 ? <i data-part="loss" style={{ height: `${share(column.loss)}%` }} /> : null}
            </Link>
          ))}
        </div>
      </div>
      <figcaption className={`flex caption ${classes.legend}`}>
        <span>{data.from}</span>
        {shown.map((part) => (
          <span key={part} className="inline6">
            <i data-part={part} aria-hidden />
            {t(`chart.${part}`)}
          </span>
        ))}
        <span>{data.to}</span>
      </figcaption>
    </figure>
  );
}
