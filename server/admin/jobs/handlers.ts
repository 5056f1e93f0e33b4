// The jobs, for the super admin: see how they ran, run one now.
import { wordsIn } from '#contract/facts.ts';
import type { Handlers } from '#contract/endpoint.ts';
import type { jobs } from '#contract/operating/jobs.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Scheduler } from '#server/platform/jobs/scheduler.ts';

export function createJobHandlers(scheduler: Scheduler): Handlers<typeof jobs, RequestContext> {
  return {
    async list(_, { language }) {
      const views = await scheduler.list();
      return views.map((view) => ({ ...view, error: wordsIn(language, view.error) }));
    },
    async run({ params: { name } }, context) {
      await scheduler.runNow(name);
      await context.auditEvent('job.run', `job:${name}`);
      return null;
    },
  };
}
