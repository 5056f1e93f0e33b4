/** Parts of a run, shared by rows, cards and the detail. */
import { useTranslation } from 'react-i18next';
import type { RerateRun, RerateState } from '#contract/money/rerating.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import classes from './rerating.module.css';

const KINDS: Record<RerateState, StatusKind> = {
  rating: 'running',
  ready: 'queued',
  applying: 'running',
  applied: 'enabled',
  undone: 'disabled',
  discarded: 'disabled',
};

export function RunState({ run }: { run: Pick<RerateRun, 'state'> }) {
  const { t } = useTranslation('rerating');
  return <StatusBadge kind={KINDS[run.state]}>{t(`state.${run.state}`)}</StatusBadge>;
}

export function RunName({ run }: { run: RerateRun }) {
  const { t } = useTranslation('rerating');
  return (
    <span className="nowrap">
      #{run.id}
      {run.kind === 'undo' ? (
        <span className={classes.dim}>{t('kind.undo', { run: run.undoes_id })}</span>
      ) : null}
      {run.undone_by_run > 0 ? (
        <span className={classes.dim}>{t('kind.undoneBy', { run: run.undone_by_run })}</span>
      ) : null}
    </span>
  );
}

/** Without the seconds: a range has whole hours. */
export const hourText = (timestamp: number) => absoluteTime(timestamp).slice(0, -3);

export function RunRange({ run }: { run: Pick<RerateRun, 'from_at' | 'to_at'> }) {
  return (
    <span className="tabular">
      {hourText(run.from_at)} – {hourText(run.to_at)}
    </span>
  );
}
