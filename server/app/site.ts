// Joins what describes the installation itself: its status, its jobs, the keys of its reports, and the first steps of its
// operator.
import type { DemoAccount, StatusView } from '#contract/admin/site.ts';
import { unixSeconds } from '#contract/time.ts';
import { VERSION } from '#server/platform/version.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { createFirstRunHandlers } from '#server/admin/first-run/index.ts';
import { createChatHandlers } from '#server/admin/chats/index.ts';
import { createPlaygroundHandlers } from '#server/admin/playground/index.ts';
import { createAdminKeyHandlers } from '#server/admin/usage-api/index.ts';
import { createReratingHandlers } from '#server/admin/rerating/index.ts';
import { createSiteHandlers } from '#server/admin/site/index.ts';
import {
  BACKUP_JOB,
  createJobHandlers,
  jobSummaryOf,
  RERATING_JOB,
  type Scheduler,
} from '#server/app/jobs/index.ts';
import type { Relay } from '#server/relay/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

interface SiteParts {
  store: Store;
  settings: LiveSettings;
  egress: Pick<Egress, 'fetch'>;
  jobs: Scheduler;
  relay: Pick<Relay, 'priceOf'>;
  topUpPrices: () => StatusView['top_up_prices'];
  demoAccounts: readonly DemoAccount[] | undefined;
}

export function joinSite({ store, settings, egress, jobs, relay, topUpPrices, demoAccounts }: SiteParts) {
  return {
    site: createSiteHandlers({
      settings,
      version: VERSION,
      startedAt: unixSeconds(),
      topUpPrices,
      jobs: async () => jobSummaryOf(await jobs.list()),
      demoAccounts,
    }),
    jobs: createJobHandlers(jobs),
    playground: createPlaygroundHandlers(),
    chats: createChatHandlers({ store }),
    adminKeys: createAdminKeyHandlers({ store, settings }),
    rerating: createReratingHandlers({ store, wake: () => jobs.wake(RERATING_JOB, 0) }),
    firstRun: createFirstRunHandlers({
      store,
      settings,
      egress,
      version: VERSION,
      priceOf: relay.priceOf,
      async lastBackup() {
        const job = (await jobs.list()).find(({ name }) => name === BACKUP_JOB);
        return { at: job?.finished_at ?? 0, error: job?.error ?? '' };
      },
      takesPayments: () => topUpPrices().length > 0,
    }),
  };
}

/** The first steps ask whether this address leads here. */
export const ownOrigins = ({ current: { ServerAddress } }: Pick<LiveSettings, 'current'>): string[] =>
  URL.canParse(ServerAddress) ? [new URL(ServerAddress).origin] : [];
