// Public information about this installation.
import type { Handlers } from '#server/admin/context.ts';
import { inLanguage } from '#contract/language.ts';
import { isRoot } from '#contract/access.ts';
import type { JobSummary } from '#contract/operating/jobs.ts';
import type { Settings } from '#contract/settings.ts';
import type { DemoAccount, site, StatusView } from '#contract/admin/site.ts';
import { statusOf } from './status.ts';

export interface SiteDependencies {
  settings: { readonly current: Settings };
  version: string;
  /** Unix seconds. */
  startedAt: number;
  /** Empty while no payment provider is configured. */
  topUpPrices: () => StatusView['top_up_prices'];
  jobs: () => Promise<JobSummary>;
  /** Only in the demo. */
  demoAccounts?: readonly DemoAccount[] | undefined;
}

export function createSiteHandlers({
  settings,
  version,
  startedAt,
  topUpPrices,
  jobs,
  demoAccounts,
}: SiteDependencies): Handlers<typeof site> {
  return {
    async status(_, { user, language }) {
      const top_up_prices = topUpPrices();
      const status = {
        ...statusOf(settings.current, language, version, startedAt),
        enable_online_topup: top_up_prices.length > 0,
        top_up_prices,
        ...(demoAccounts && { demo_accounts: [...demoAccounts] }),
      };
      return isRoot(user?.role ?? 0) ? { ...status, jobs: await jobs() } : status;
    },
    address: (_, context) => ({ address: context.address }),
    notice: (_, { language }) => inLanguage(language, settings.current.Notice, settings.current.NoticeEn),
    about: (_, { language }) => inLanguage(language, settings.current.About, settings.current.AboutEn),
    home: (_, { language }) =>
      inLanguage(language, settings.current.HomePageContent, settings.current.HomePageContentEn),
  };
}
