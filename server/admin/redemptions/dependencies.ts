// What redemption codes need from the application.
import type { Settings } from '#contract/settings.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface RedemptionDependencies extends Clock {
  store: Store;
  /** Read at each call: it changes while the server runs. */
  settings: { readonly current: Pick<Settings, 'QuotaPerUnit' | 'DisplayInCurrencyEnabled'> };
  ledger: Pick<Ledger, 'transferWithin'>;
  /** Slows guessing down: `begin` counts a try and answers the seconds to wait, 0 to go on; `succeed` takes it off. */
  attempts: {
    begin(account: string, address: string): Promise<number>;
    succeed(account: string, address: string): Promise<void>;
  };
}
