// What server/admin/users needs from the application.
import type { IsOwnPassword, OwnerLetters } from '#server/admin/accounts.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface UserDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'UserUsableGroups' | 'GroupRatio'> };
  /** The price that the relay would take from this group, or its refusal. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
  ownerLetters: OwnerLetters;
  isOwnPassword: IsOwnPassword;
  /** Deletes the file with the password generated at the first start. */
  forgetInitialPassword: () => Promise<void>;
}
