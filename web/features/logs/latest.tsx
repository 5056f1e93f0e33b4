/** The reader's newest calls, as the log has them; a row opens in the log with its charge. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { api } from '#web/api.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import {
  CompletionCell,
  CostCell,
  DurationCell,
  FirstTokenCell,
  isCall,
  ModelCell,
  PromptCell,
} from './cells.tsx';
import { detailsOf } from './other.ts';
import classes from './latest.module.css';

const SHOWN = 6;
/** Top-ups and the like are between them. */
const READ = 20;

const isShown = (row: LogView) => isCall(row) || row.type === LOG_TYPE.refused;

export function LatestCalls() {
  const { t } = useTranslation('logs');
  const { data } = useQuery({
    queryKey: ['logs', 'latest'],
    queryFn: ({ signal }) => api.logs.listSelf({ query: { page_size: READ }, signal }),
    refetchInterval: 60_000,
  });
  const rows = data?.items.filter(isShown).slice(0, SHOWN) ?? [];
  return (
    <section className={classes.latest} aria-label={t('latest.title')}>
      <header className="row8">
        <h2>{t('latest.title')}</h2>
        <span className="note">{t('latest.hint')}</span>
        <Link to="/log" className="push-right small">
          {t('latest.all')}
        </Link>
      </header>
      {data && rows.length === 0 ? <p className="caption">{t('latest.none')}</p> : null}
      {rows.length === 0 ? null : (
        <div className={classes.frame}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('column.time')}</th>
                <th scope="col">{t('column.token')}</th>
                <th scope="col">{t('column.model')}</th>
                <th scope="col" className="number" data-wide>
                  {t('column.firstToken')}
                </th>
                <th scope="col" className="number" data-wide>
                  {t('column.duration')}
                </th>
                <th scope="col" className="number" data-wide>
                  {t('column.prompt')}
                </th>
                <th scope="col" className="number" data-wide>
                  {t('latest.cached')}
                </th>
                <th scope="col" className="number" data-wide>
                  {t('column.completion')}
                </th>
                <th scope="col" className="number">
                  {t('column.cost')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({ row }: { row: LogView }) {
  const details = detailsOf(row);
  const cached = details.usage.cacheRead ?? 0;
  return (
    <tr data-failed={row.type === LOG_TYPE.consumption ? undefined : true}>
      <td className="nowrap">
        <Link to="/log" search={{ open: row.id }} className={classes.open}>
          <ExactMoment timestamp={row.created_at} />
        </Link>
      </td>
      <td className="cut">{row.token_name || <Empty />}</td>
      <td className={classes.model}>
        <ModelCell row={row} details={details} />
        {row.type === LOG_TYPE.consumption ? null : (
          <span className={`cut ${classes.reason}`} title={row.content}>
            {row.content}
          </span>
        )}
      </td>
      <td className="number" data-wide>
        <FirstTokenCell row={row} details={details} />
      </td>
      <td className="number" data-wide>
        <DurationCell row={row} details={details} />
      </td>
      <td className="number" data-wide>
        <PromptCell row={row} details={details} />
      </td>
      <td className="number" data-wide>
        {cached > 0 ? groupDigits(cached) : <Empty />}
      </td>
      <td className="number" data-wide>
        <CompletionCell row={row} details={details} />
      </td>
      <td className="number">
        <CostCell row={row} />
      </td>
    </tr>
  );
}
