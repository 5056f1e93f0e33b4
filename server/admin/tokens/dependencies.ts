// What server/admin/tokens needs from the application.
import type { Clock } from '#server/admin/clock.ts';
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface TokenDependencies extends Clock {
  store: Store;
  ledger: Pick<Ledger, 'writeHolds'>;
  /** Read at each call: it changes while the server runs. */
  settings: { readonly current: Pick<Settings, 'UserUsableGroups' | 'SiteTimeZone'> };
}
