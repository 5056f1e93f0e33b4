import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { PaymentParts } from '#server/money/payments/index.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface PlanDependencies {
  store: Store;
  settings: { readonly current: Settings };
  ledger: Pick<Ledger, 'transferWithin' | 'rollPeriod' | 'writeHolds'>;
  payments: PaymentParts;
}
