// What the channel feature needs from the application.
import type { ChannelType } from '#contract/channel-fields.ts';
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/egress/index.ts';
import type { TokenMemory } from '#server/providers/signing/tools.ts';
import type { RenewKey } from '#server/store/channel-keys.ts';
import type { Store } from '#server/store/store.ts';

type UsedSettings =
  | 'GroupRatio'
  | 'AutomaticDisableChannelEnabled'
  | 'AutomaticEnableChannelEnabled'
  | 'ChannelDisableThreshold';

export interface ChannelDependencies {
  store: Store;
  settings: { readonly current: Pick<Settings, UsedSettings> };
  /** What each type of upstream asks for, from the providers' own files. */
  types: readonly ChannelType[];
  /** Throws when a channel may not reach this address; the check runs again at every call. */
  checkAddress(url: string): Promise<void>;
  /** True when this is the password of that user. */
  isPasswordOf(userId: number, password: string): Promise<boolean>;
  /** The name an upstream hears for a model, by the channel's mapping: the relay's own rule. */
  upstreamModel(mapping: string, model: string): string;
  /** Whether the relay of this node leaves the channel alone for a while. */
  isCoolingDown?(channelId: number): boolean;
  /** Unix seconds; tests move it. */
  now?: () => number;
}

/** What asking upstreams takes on top. */
export interface UpstreamDependencies extends ChannelDependencies {
  egress: Pick<Egress, 'fetch' | 'target' | 'openSocket'>;
  /** Tokens that upstreams gave in exchange for keys. */
  signingMemory: TokenMemory;
  /** Without it a login that has expired is used as it is. */
  renewKey?: RenewKey;
  log: Log;
}

export function nowSeconds(dependencies: ChannelDependencies): number {
  return dependencies.now ? dependencies.now() : Math.floor(Date.now() / 1000);
}
