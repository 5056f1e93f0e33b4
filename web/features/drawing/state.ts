/** Derived values of a drawing: duration and state. */
import {
  DRAWING_ACTIONS,
  DRAWING_STATUSES,
  isFinished,
  SLOW_DRAWING_SECONDS,
  SUBMIT_CODE,
  type DrawingAction,
  type DrawingStatus,
  type DrawingView,
} from '#contract/relay/drawing.ts';
import type { StatusKind } from '#web/ui/badge/status.tsx';

/** Seconds from the submission to the end; undefined while it runs. */
export function durationOf({ submit_time, finish_time }: DrawingView): number | undefined {
  return finish_time > 0 ? Math.max(0, (finish_time - submit_time) / 1000) : undefined;
}

export const isSlow = (seconds: number): boolean => seconds > SLOW_DRAWING_SECONDS;

export const isRunning = ({ status }: DrawingView): boolean => !isFinished(status);

const KINDS: Record<DrawingStatus, StatusKind> = {
  SUCCESS: 'enabled',
  NOT_START: 'disabled',
  SUBMITTED: 'queued',
  IN_PROGRESS: 'running',
  FAILURE: 'failed',
  MODAL: 'restricted',
};

export function statusOf({ status }: DrawingView): { name: DrawingStatus | 'UNKNOWN'; kind: StatusKind } {
  const name = DRAWING_STATUSES.find((each) => each === status);
  return name ? { name, kind: KINDS[name] } : { name: 'UNKNOWN', kind: 'disabled' };
}

export function actionOf({ action }: Pick<DrawingView, 'action'>): DrawingAction | 'UNKNOWN' {
  return DRAWING_ACTIONS.find((each) => each === action) ?? 'UNKNOWN';
}

export type CodeName = keyof typeof SUBMIT_CODE | 'refused';

export function codeName(code: number): CodeName {
  const known = Object.entries(SUBMIT_CODE).find(([, value]) => value === code);
  return known ? (known[0] as keyof typeof SUBMIT_CODE) : 'refused';
}
