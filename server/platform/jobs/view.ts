// Jobs as the page and the status object show them: the rows of the database, and what only this node's memory knows of its
// own runs.
import type { JobState, JobSummary, JobView } from '#contract/operating/jobs.ts';
import { everySecondsOf } from './job.ts';
import type { JobRow } from './rows.ts';
import { longestMs, type ScheduledJob } from './scheduled-job.ts';

interface Seen {
  readonly rows: readonly JobRow[];
  /** The database's time. */
  readonly nowMs: number;
}

export interface Viewer {
  readonly nodeId: string;
  /** False on SQLite: a lease of another name is left from a process that ended. */
  readonly hasOtherNodes: boolean;
}

export function jobViews(entries: readonly ScheduledJob[], { rows, nowMs }: Seen, viewer: Viewer): JobView[] {
  return entries.flatMap((entry) => {
    const { name, lease } = entry.job;
    const own = rows.filter((row) => row.name === name && (row.node_id === '') === (lease === 'cluster'));
    if (lease === 'cluster') return [clusterView(entry, own[0], nowMs, viewer)];
    const others = own.filter((row) => row.node_id !== viewer.nodeId);
    const here = own.find((row) => row.node_id === viewer.nodeId);
    return [hereView(entry, here, viewer), ...others.map((row) => rowView(entry, row, viewer, stateOf(row)))];
  });
}

export function jobSummaryOf(views: readonly JobView[]): JobSummary {
  const failed = views.filter(({ state }) => state === 'failed' || state === 'interrupted');
  return {
    total: new Set(views.map(({ name }) => name)).size,
    running: views.filter(({ state }) => state === 'running').length,
    failed: [...new Set(failed.map(({ name }) => name))],
  };
}

function clusterView(entry: ScheduledJob, row: JobRow | undefined, nowMs: number, viewer: Viewer): JobView {
  if (row === undefined) return baseView(entry, '', viewer);
  const isRunning =
    row.owner === viewer.nodeId
      ? entry.work !== undefined && row.lease_until_ms > 0
      : viewer.hasOtherNodes && row.lease_until_ms > nowMs;
  const ended = row.lease_until_ms > 0 ? 'interrupted' : stateOf(row);
  return rowView(entry, row, viewer, isRunning ? 'running' : ended);
}

/** Rows of node jobs are written once a minute; this node knows its own runs better. */
function hereView(entry: ScheduledJob, row: JobRow | undefined, viewer: Viewer): JobView {
  const { last, work } = entry;
  const stored = row && rowView(entry, row, viewer, stateOf(row));
  const before = stored ?? baseView(entry, viewer.nodeId, viewer);
  const view: JobView =
    last === undefined
      ? before
      : {
          ...before,
          state: last.error === '' ? 'ok' : 'failed',
          started_at: seconds(last.finishedMs - last.durationMs),
          finished_at: seconds(last.finishedMs),
          duration_ms: last.durationMs,
          error: last.error,
          runs: (row?.runs ?? 0) + entry.unwrittenRuns,
          next_run_at: nextRun(entry, last.finishedMs + last.nextInMs),
        };
  return work === undefined ? view : { ...view, state: 'running', started_at: seconds(entry.startedMs) };
}

function rowView(entry: ScheduledJob, row: JobRow, viewer: Viewer, state: JobState): JobView {
  const nextMs = Math.min(row.next_run_ms, row.finished_ms + longestMs(entry.job));
  return {
    ...baseView(entry, row.owner, viewer),
    state,
    started_at: seconds(row.started_ms),
    finished_at: seconds(row.finished_ms),
    duration_ms: row.duration_ms,
    error: row.error,
    runs: row.runs,
    next_run_at: nextRun(entry, nextMs),
  };
}

function baseView({ job }: ScheduledJob, node: string, { nodeId }: Viewer): JobView {
  return {
    name: job.name,
    title: job.title,
    description: job.description,
    warning: job.warning ?? null,
    every_seconds: everySecondsOf(job),
    lease: job.lease,
    node,
    is_here: node === nodeId,
    state: 'never',
    started_at: 0,
    finished_at: 0,
    duration_ms: 0,
    error: '',
    runs: 0,
    next_run_at: 0,
  };
}

function stateOf(row: JobRow): JobState {
  if (row.error !== '') return 'failed';
  return row.finished_ms > 0 ? 'ok' : 'never';
}

/** A job that runs only by hand has no next run. */
const nextRun = (entry: ScheduledJob, milliseconds: number) =>
  everySecondsOf(entry.job) === 0 ? 0 : seconds(milliseconds);

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
