// What the checks need of the rest of the server.
import type { JobView } from '#contract/operating/jobs.ts';
import type { Settings } from '#contract/settings.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { OfferMargins, RecentMargins } from '#server/admin/recent-margins.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface AttentionDependencies extends Clock {
  store: Store;
  settings: { readonly current: Settings };
  nodeId: string;
  /** What the relay would charge a call by. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
  /** Whether the ledger's last write succeeded. */
  isWritable: () => boolean;
  /** From the kept sums of margins. */
  margins: RecentMargins;
  offerMargins: OfferMargins;
  jobs: () => Promise<readonly JobView[]>;
  onError?: (check: string, error: unknown) => void;
}
