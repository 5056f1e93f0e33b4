// What the overview needs of the rest of the server.
import type { Settings } from '#contract/settings.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { RecentMargins } from '#server/admin/recent-margins.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface OverviewDependencies extends Clock {
  store: Store;
  settings: { readonly current: Settings };
  /** From the kept sums of margins. */
  margins: RecentMargins;
}
