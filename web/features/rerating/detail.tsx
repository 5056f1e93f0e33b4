/** A run in full: what it would change or has changed, what keeps its charge, and what can be done. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LEFT_OUT_REASONS, type RerateDetail, type RerateRun } from '#contract/money/rerating.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { RunActions } from './actions.tsx';
import { hourText, RunName, RunRange, RunState } from './cells.tsx';
import { reratingQueries } from './queries.ts';
import { Sums } from './sums.tsx';
import classes from './rerating.module.css';

export function RunDetail({ id }: { id: number }) {
  const { data, error } = useQuery(reratingQueries.one(id));
  return (
    <div className={`stack14 ${classes.detail}`}>
      {error ? <p role="alert">{errorMessage(error)}</p> : null}
      {!data && !error ? <Loading /> : null}
      {data ? (
        <>
          <Facts run={data} />
          <LeftOut run={data} />
          <RunActions run={data} />
          <Sums run={data} />
        </>
      ) : null}
    </div>
  );
}

function Facts({ run }: { run: RerateDetail }) {
  const { t } = useTranslation('rerating');
  const display = useDisplay();
  const money = (quota: number) => renderQuota(quota, display);
  const filter = [
    ...(run.models.length === 0 ? [] : [t('detail.models', { names: run.models.join(', ') })]),
    ...(run.groups.length === 0 ? [] : [t('detail.groups', { names: run.groups.join(', ') })]),
    ...(run.charged_version === 0 ? [] : [t('detail.charged', { version: run.charged_version })]),
  ];
  const { notes, booked } = run;
  const isBooked = run.applied_at > 0;
  return (
    <dl className={`stack4 small ${classes.facts}`}>
      <Fact name={t('detail.range')}>
        <RunRange run={run} />
      </Fact>
      <Fact name={t('column.version')}>{run.version_id}</Fact>
      {run.kind === 'rerate' ? (
        <Fact name={t('detail.filter')}>
          {filter.length === 0 ? t('detail.everything') : filter.join(' · ')}
        </Fact>
      ) : null}
      <Fact name={t('detail.reason')}>{run.reason}</Fact>
      {run.state === 'rating' ? (
        <Fact name={t('column.state')}>{t('detail.ratedUntil', { time: hourText(run.position) })}</Fact>
      ) : null}
      {run.kind === 'rerate' ? <Fact name={t('detail.examined')}>{groupDigits(run.examined)}</Fact> : null}
      <Fact name={t('detail.changes')}>{groupDigits(run.calls)}</Fact>
      <Fact name={t('detail.sum')}>
        {t('detail.sums', { credit: money(run.credit), debit: money(run.debit) })}
      </Fact>
      {isBooked ? (
        <>
          <Fact name={t('detail.progress')}>
            {t('detail.notes', { done: notes.done, total: notes.total })}
          </Fact>
          <Fact name={t('detail.booked')}>
            {[
              t('detail.wallet', { amount: money(booked.wallet) }),
              ...(booked.plan === 0 ? [] : [t('detail.plan', { amount: money(booked.plan) })]),
              ...(booked.suspense === 0 ? [] : [t('detail.suspense', { amount: money(booked.suspense) })]),
            ].join(' · ')}
          </Fact>
        </>
      ) : null}
      {notes.changed > 0 ? (
        <p role="alert" className="danger">
          {t('detail.changed', { count: notes.changed })}
        </p>
      ) : null}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function LeftOut({ run }: { run: RerateDetail }) {
  const { t } = useTranslation('rerating');
  const reasons = LEFT_OUT_REASONS.flatMap((reason) => {
    const counted = run.left_out[reason];
    return counted === undefined ? [] : [{ reason, ...counted }];
  });
  const isCleaned = run.cleaned_before > run.from_at;
  if (run.kind === 'undo' || (reasons.length === 0 && !isCleaned)) return null;
  return (
    <section className={`small ${classes.leftOut}`}>
      <h2>{t('detail.leftOut')}</h2>
      <ul>
        {reasons.map(({ reason, calls, quota }) => (
          <li key={reason}>
            <b>{groupDigits(calls)}</b> <Quota quota={quota} /> {t(`reason.${reason}`)}
          </li>
        ))}
      </ul>
      {isCleaned ? <p>{t('detail.cleaned', { time: hourText(run.cleaned_before) })}</p> : null}
    </section>
  );
}

/** A run on the phone. */
export function RunCard({ run, children }: { run: RerateRun; children: ReactNode }) {
  const { t } = useTranslation('rerating');
  return (
    <>
      <CardHead name={<RunName run={run} />}>
        <RunState run={run} />
      </CardHead>
      <CardLine>
        <RunRange run={run} />
      </CardLine>
      <CardLine>
        <span>
          {t('column.credit')} <Quota quota={run.credit} /> · {t('column.debit')} <Quota quota={run.debit} />
        </span>
        <Moment timestamp={run.created_at} />
      </CardLine>
      {children}
    </>
  );
}
