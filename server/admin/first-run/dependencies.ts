// What the checks need, and what each of them finds.
import type { FirstStepView } from '#contract/admin/first-run.ts';
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface FirstRunDependencies {
  store: Store;
  settings: { readonly current: Settings };
  egress: Pick<Egress, 'fetch'>;
  version: string;
  /** What the relay would charge a call by. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
  /** The last run of the backup job in unix seconds, 0 before the first; its error, empty for a success. */
  lastBackup: () => Promise<{ at: number; error: string }>;
  /** Online payment is configured. */
  takesPayments: () => boolean;
}

/** What a check finds; the name is added here. */
export type StepFinding = Omit<FirstStepView, 'name' | 'detail' | 'at'> &
  Partial<Pick<FirstStepView, 'detail' | 'at'>>;
