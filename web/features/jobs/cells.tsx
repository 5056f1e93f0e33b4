/** The values of a job as the table and the phone's cards show them. */
import { useTranslation } from 'react-i18next';
import type { JobState as State, JobView } from '#contract/operating/jobs.ts';
import { languageOf, type Language } from '#contract/language.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { Moment, useNow } from '#web/ui/format/moment.tsx';
import { durationOf, intervalOf } from './interval.ts';
import classes from './jobs.module.css';

const FREQUENT_SECONDS = 60;

const KINDS: Record<State, StatusKind> = {
  never: 'queued',
  ok: 'enabled',
  failed: 'failed',
  running: 'running',
  interrupted: 'expired',
};

export function useLanguage(): Language {
  return languageOf(useTranslation().i18n.language);
}

export function JobName({ job }: { job: JobView }) {
  const language = useLanguage();
  return (
    <span className={classes.name} title={job.description[language]}>
      <span>{job.title[language]}</span>
      <span className={classes.dim}>{job.description[language]}</span>
    </span>
  );
}

export function JobState({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  return <StatusBadge kind={KINDS[job.state]}>{t(`state.${job.state}`)}</StatusBadge>;
}

/** The state with its reason: the error, or how long the run has lasted. */
export function JobStatus({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  return (
    <span className={`row8 shrink ${classes.state}`} title={job.error || undefined}>
      <JobState job={job} />
      {job.state === 'failed' ? <span className="danger">{job.error}</span> : null}
      {job.state === 'running' ? (
        <span className={classes.dim}>
          {t('since')} <Moment timestamp={job.started_at} />
        </span>
      ) : null}
    </span>
  );
}

export function Every({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  if (job.every_seconds === 0) return <span className={classes.dim}>{t('byHand')}</span>;
  const { unit, count } = intervalOf(job.every_seconds);
  return t(unit, { count });
}

export function Took({ job }: { job: JobView }) {
  if (job.finished_at === 0) return <Empty />;
  const { digits, unit } = durationOf(job.duration_ms);
  return (
    <>
      {digits}
      <span className={classes.unit}>{unit}</span>
    </>
  );
}

export function NextRun({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  const now = useNow();
  if (job.every_seconds === 0 || job.state === 'running') return <Empty />;
  // The list is older than the next run of a job that runs every few seconds.
  const next = job.every_seconds < FREQUENT_SECONDS ? Math.max(job.next_run_at, now + 1) : job.next_run_at;
  return next > now ? <Moment timestamp={next} /> : t('due');
}
