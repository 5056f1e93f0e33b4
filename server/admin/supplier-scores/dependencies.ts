// What server/admin/supplier-scores needs from the application.
import type { Settings } from '#contract/settings.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SupplierDependencies extends Clock {
  store: Store;
  settings: {
    readonly current: Pick<Settings, 'SupplierDownWeightBelow' | 'SupplierDownWeightFactor' | 'QuotaPerUnit'>;
  };
}
