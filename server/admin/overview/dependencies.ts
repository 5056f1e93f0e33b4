// What the overview needs of the rest of the server.
import type { MarginQuery, MarginReport } from '#contract/money/margins.ts';
import type { Settings } from '#contract/settings.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface OverviewDependencies extends Clock {
  store: Store;
  settings: { readonly current: Settings };
  /** From the kept sums of margins. */
  margins: (query: MarginQuery) => Promise<MarginReport>;
}

export const HOUR_SECONDS = 3600;
