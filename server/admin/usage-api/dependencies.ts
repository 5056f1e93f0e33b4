// What the reports need from the application.
import type { Settings } from '#contract/settings.ts';
import type { Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface OrganizationDependencies extends Clock {
  store: Store;
  settings: { readonly current: Pick<Settings, 'QuotaPerUnit' | 'OrganizationsEnabled'> };
  /** Log rows that a page of minutes reads at most; tests lower it. */
  mostRows?: number;
  /** Results of a page; tests lower it. */
  mostResults?: number;
}
