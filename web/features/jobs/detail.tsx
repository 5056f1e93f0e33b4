/** A job in full: what it does, its last error, and how it runs. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { JobView } from '#contract/operating/jobs.ts';
import { ExactMoment, Moment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Every, JobState, NextRun, useLanguage } from './cells.tsx';
import { RunButton } from './run-button.tsx';
import classes from './jobs.module.css';

export function JobDetail({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  const language = useLanguage();
  const moment = (timestamp: number) => (timestamp > 0 ? <ExactMoment timestamp={timestamp} /> : <Empty />);
  return (
    <div className={`stack8 ${classes.detail}`}>
      <p>{job.description[language]}</p>
      {job.state === 'interrupted' ? <p>{t('detail.interrupted')}</p> : null}
      <dl className={`stack4 small ${classes.facts}`}>
        {job.error ? (
          <Fact label={t('detail.error')}>
            <span className="code danger">{job.error}</span>
          </Fact>
        ) : null}
        <Fact label={t('detail.lastStart')}>{moment(job.started_at)}</Fact>
        <Fact label={t('detail.lastEnd')}>{moment(job.finished_at)}</Fact>
        <Fact label={t('detail.runs')}>{groupDigits(job.runs)}</Fact>
        <Fact label={t('detail.lease')}>{t(`detail.${job.lease}`)}</Fact>
        <Fact label={t('column.node')}>{job.node || <Empty />}</Fact>
        <Fact label={t('detail.name')}>
          <code>{job.name}</code>
        </Fact>
      </dl>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function JobCard({ job, children }: { job: JobView; children: ReactNode }) {
  const { t } = useTranslation('jobs');
  const language = useLanguage();
  return (
    <>
      <CardHead name={job.title[language]}>
        <JobState job={job} />
      </CardHead>
      {job.state === 'failed' ? <p className={`size13 cut ${classes.cardError}`}>{job.error}</p> : null}
      <CardLine>
        <span className={`flex note ${classes.times}`}>
          <span>
            {t('column.lastRun')} <Moment timestamp={job.finished_at} />
          </span>
          {job.every_seconds === 0 ? (
            <Every job={job} />
          ) : (
            <span>
              {t('column.nextRun')} <NextRun job={job} />
            </span>
          )}
        </span>
        <RunButton job={job} />
      </CardLine>
      {children}
    </>
  );
}
