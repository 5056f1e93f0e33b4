// What the user feature needs from the application.
import type { RequestContext } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface UserDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'UserUsableGroups' | 'GroupRatio'> };
  /** Counted and slowed down like a sign-in; throws when there were too many tries. */
  isOwnPassword: (password: string, context: RequestContext) => Promise<boolean>;
  /** The password made at the first start is no longer in use: its file goes. */
  forgetInitialPassword: () => Promise<void>;
}
