/** The database and what waits in it. */
import { useTranslation } from 'react-i18next';
import type { ClusterView } from '#contract/operating/cluster.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import classes from './cluster.module.css';

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const QUEUES = ['holds', 'tasks', 'mails', 'notices'] as const;
const MEGABYTE = 1024 ** 2;

export function ClusterFigures({ view }: { view: ClusterView }) {
  const { t } = useTranslation('cluster');
  const megabytes = groupDigits(Math.round(view.database.bytes / MEGABYTE));
  return (
    <dl className={classes.strip} aria-label={t('figures.label')}>
      <div>
        <dt>{t('figures.database')}</dt>
        <dd>
          {ENGINES[view.database.engine]} {megabytes}
          <span className={classes.unit}>MB</span>
        </dd>
      </div>
      {QUEUES.map((name) => (
        <div key={name}>
          <dt>{t(`figures.${name}`)}</dt>
          <dd>{groupDigits(view.queues[name])}</dd>
        </div>
      ))}
      {view.standbys.map(({ name, sync_state, lag_ms }) => (
        <div key={name}>
          <dt>{t('figures.standby', { name })}</dt>
          <dd>
            {sync_state} · {t('figures.lag', { ms: lag_ms })}
          </dd>
        </div>
      ))}
    </dl>
  );
}
