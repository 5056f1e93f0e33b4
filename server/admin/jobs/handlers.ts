// The jobs, for the super admin: see how they ran, run one now.
import type { Handlers } from '#contract/endpoint.ts';
import type { jobs } from '#contract/operating/jobs.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Scheduler } from '#server/platform/jobs/scheduler.ts';

export function createJobHandlers(scheduler: Scheduler): Handlers<typeof jobs, RequestContext> {
  return {
    list: () => scheduler.list(),
    async run({ params: { name } }, context) {
      await scheduler.runNow(name);
      await context.auditEvent('job.run', `job:${name}`);
      return null;
    },
  };
}
