// Public information about this installation.
import type { Handlers } from '#server/features/context.ts';
import { isRoot } from '#contract/access.ts';
import type { JobSummary } from '#contract/jobs.ts';
import type { Settings } from '#contract/settings.ts';
import type { site } from '#contract/site.ts';
import { statusOf } from './status.ts';

export interface SiteDependencies {
  settings: { readonly current: Settings };
  version: string;
  /** Unix seconds. */
  startedAt: number;
  /** A payment provider is configured. */
  isTopUpOnline: () => boolean;
  jobs: () => Promise<JobSummary>;
}

export function createSiteHandlers({
  settings,
  version,
  startedAt,
  isTopUpOnline,
  jobs,
}: SiteDependencies): Handlers<typeof site> {
  return {
    async status(_, { user }) {
      const status = {
        ...statusOf(settings.current, version, startedAt),
        enable_online_topup: isTopUpOnline(),
      };
      return isRoot(user?.role ?? 0) ? { ...status, jobs: await jobs() } : status;
    },
    address: (_, context) => ({ address: context.address }),
    notice: () => settings.current.Notice,
    about: () => settings.current.About,
    home: () => settings.current.HomePageContent,
  };
}
