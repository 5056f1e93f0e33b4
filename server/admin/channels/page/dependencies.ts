// What the page of a channel needs besides what channels need.
import type { Settings } from '#contract/settings.ts';
import type { ChannelDependencies } from '#server/admin/channels/dependencies.ts';
import type { RecentMargins } from '#server/admin/recent-margins.ts';

export interface ChannelPageDependencies extends ChannelDependencies {
  settings: ChannelDependencies['settings'] & { readonly current: Pick<Settings, 'QuotaPerUnit' | 'Price'> };
  /** From the kept sums of margins. */
  margins: RecentMargins;
}
