// What the token feature needs from the application.
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface TokenDependencies {
  store: Store;
  /** Read at each call: it changes while the server runs. */
  settings: { readonly current: Pick<Settings, 'UserUsableGroups'> };
  /** Unix seconds; tests set it. */
  now?: () => number;
}

export function nowSeconds(dependencies: TokenDependencies): number {
  return dependencies.now ? dependencies.now() : Math.floor(Date.now() / 1000);
}
