// The cluster job that two nodes of a test share.
import type { Job } from '#server/platform/jobs/job.ts';

export const LEASE_SECONDS = 1;

const text = { zh: '任务', en: 'A job' };

export const nodeJob = (run: Job['run']): Job => ({
  name: 'work',
  title: text,
  description: text,
  everySeconds: 0.5,
  lease: 'cluster',
  run,
});
