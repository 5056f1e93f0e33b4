// What the user feature needs from the application.
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface UserDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'UserUsableGroups' | 'GroupRatio'> };
  /** The password made at the first start is no longer in use: its file goes. */
  forgetInitialPassword: () => Promise<void>;
}
