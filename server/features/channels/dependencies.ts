// What the channel feature needs from the application.
import type { ChannelType } from '#contract/channel-fields.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';

export interface ChannelDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, 'GroupRatio'> };
  /** What each type of upstream asks for, from the providers' own files. */
  types: readonly ChannelType[];
  /** Throws when a channel may not reach this address; the check runs again at every call. */
  checkAddress(url: string): Promise<void>;
  /** True when this is the password of that user. */
  isPasswordOf(userId: number, password: string): Promise<boolean>;
  /** Unix seconds; tests move it. */
  now?: () => number;
}

export function nowSeconds(dependencies: ChannelDependencies): number {
  return dependencies.now ? dependencies.now() : Math.floor(Date.now() / 1000);
}
