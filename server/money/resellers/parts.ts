// What the dividends need of the rest of the server; server/app/wallet.ts joins it.
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface AgentParts {
  store: Store;
  settings: {
    readonly current: Pick<
      Settings,
      | 'DisplayInCurrencyEnabled'
      | 'DividendBasis'
      | 'DividendSecondLevelPercent'
      | 'QuotaPerUnit'
      | 'SiteTimeZone'
      | 'WithdrawalFeePercent'
      | 'WithdrawalMethods'
      | 'WithdrawalMinimum'
    >;
  };
  ledger: Pick<Ledger, 'transferWithin'>;
}
