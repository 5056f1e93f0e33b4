// The work the gateway does by time, as the super admin sees it.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

/** `cluster`: one run at a time on all nodes together. `node`: each node runs it for itself. */
export const JOB_LEASES = ['node', 'cluster'] as const;
export type JobLease = (typeof JOB_LEASES)[number];

/** `interrupted`: the node ended, or lost the lease, before the run was over. */
export const JOB_STATES = ['never', 'ok', 'failed', 'running', 'interrupted'] as const;
export type JobState = (typeof JOB_STATES)[number];

const text = z.object({ zh: z.string(), en: z.string() });

/** Times in unix seconds; 0: there is none. */
const jobView = z.object({
  name: z.string(),
  title: text,
  description: text,
  /** The question before a run by hand; null: it costs nothing. */
  warning: text.nullable(),
  /** 0: the job runs only by hand. */
  every_seconds: z.number(),
  lease: z.enum(JOB_LEASES),
  /** The node that runs the job or ran it last; empty: none yet. */
  node: z.string(),
  /** The node that answers this call. */
  is_here: z.boolean(),
  state: z.enum(JOB_STATES),
  /** Start of the run that is under way, or of the last one. */
  started_at: z.number(),
  finished_at: z.number(),
  duration_ms: z.number(),
  /** Of the last run that ended. */
  error: z.string(),
  runs: z.number(),
  next_run_at: z.number(),
});
export type JobView = z.output<typeof jobView>;

/** The short form inside the status object. */
export const jobSummary = z.object({
  total: z.number(),
  running: z.number(),
  /** Names of jobs whose last run failed or was interrupted. */
  failed: z.array(z.string()),
});
export type JobSummary = z.output<typeof jobSummary>;

export const jobs = {
  list: endpoint({
    method: 'GET',
    path: '/api/jobs',
    access: 'root',
    summary: { zh: '定时任务', en: 'Scheduled jobs' },
    returns: z.array(jobView),
  }),
  run: endpoint({
    method: 'POST',
    path: '/api/jobs/{name}/run',
    access: 'root',
    summary: { zh: '立即运行一个任务', en: 'Run a job now' },
    params: z.object({ name: z.string().max(64) }),
    /** Once the run has begun; `list` shows how it ends. */
    returns: z.null(),
  }),
};
