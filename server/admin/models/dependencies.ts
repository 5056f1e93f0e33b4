// What server/admin/models needs from the application.
import type { Settings } from '#contract/settings.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { RecentMargins } from '#server/admin/recent-margins.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface ModelDependencies extends Clock {
  store: Store;
  settings: { readonly current: Pick<Settings, 'QuotaPerUnit'> };
  /** From the kept sums of margins. */
  margins: RecentMargins;
  /** The price of a call, or why the relay would refuse it. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
  /** The model's name at the upstream by the channel's mapping. */
  upstreamModel: (mapping: string, model: string) => string;
}
