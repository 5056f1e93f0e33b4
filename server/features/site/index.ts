// What everybody may know about this installation.
import type { RequestContext } from '#server/features/context.ts';
import type { Handlers } from '#contract/endpoint.ts';
import type { Settings } from '#contract/settings.ts';
import type { site } from '#contract/site.ts';
import { statusOf } from './status.ts';

export interface SiteDependencies {
  settings: { readonly current: Settings };
  version: string;
  /** Unix seconds. */
  startedAt: number;
}

export function createSiteHandlers({
  settings,
  version,
  startedAt,
}: SiteDependencies): Handlers<typeof site, RequestContext> {
  return {
    status: () => statusOf(settings.current, version, startedAt),
    address: (_, context) => ({ address: context.address }),
    notice: () => settings.current.Notice,
    about: () => settings.current.About,
    home: () => settings.current.HomePageContent,
  };
}
