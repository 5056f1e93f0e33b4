// What server/admin/channels needs from the application.
import type { Clock } from '#server/admin/clock.ts';
import type { OrderFigures } from '#contract/relay/channel-order.ts';
import type { ChannelLimits } from '#contract/relay/channel-limits.ts';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { PriceRefusal, PriceSettings, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { TokenCache } from '#server/models/providers/signing/tools.ts';
import type { ModelStanding } from '#server/relay/channel-choice/channel-standing.ts';
import type { RenewKey } from '#server/relay/channel-choice/key-renewal.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

type UsedSettings =
  | 'ChannelOrder'
  | 'GroupRatio'
  | 'SiteTimeZone'
  | 'AutomaticDisableChannelEnabled'
  | 'AutomaticEnableChannelEnabled'
  | 'ChannelDisableThreshold'
  | 'UpstreamBalanceThreshold';

export interface ChannelDependencies extends Clock {
  store: Store;
  settings: { readonly current: Pick<Settings, UsedSettings> & PriceSettings };
  /** The fields each type of upstream needs, from server/models/providers. */
  types: readonly ChannelType[];
  /** Throws when a channel may not reach this address; the check runs again at every call. */
  checkAddress(url: string): Promise<void>;
  /** True when this is the password of that user. */
  isPasswordOf(userId: number, password: string): Promise<boolean>;
  /** The model's name at the upstream by the channel's mapping; the same function as in the relay. */
  upstreamModel(mapping: string, model: string): string;
  /** The price of a call, or why the relay would refuse it; without a relay only the name itself is looked up. */
  priceOf?: (model: string, group: string) => PriceSnapshot | PriceRefusal;
  /** What limits of the upstream do to calls of one model on this node. */
  standingOf?(channelId: number, model: string): ModelStanding;
  /** What is paused and what is left, as this node knows. */
  limitsOf?(channelId: number): ChannelLimits;
  /** Why the relay of this node cannot use the channel; undefined when it can. */
  channelProblem?(channelId: number): string | undefined;
  /** What decides the place of a channel inside its priority, as the relay of this node sees it. */
  orderFigures?(channelId: number, model: string): Promise<OrderFigures | undefined>;
  /** New channels of one upstream, or one with a new address; not awaited. */
  onNewAddress?(rows: readonly Row<'channels'>[]): void;
}

/** Also needed for requests to upstreams. */
export interface UpstreamDependencies extends ChannelDependencies {
  egress: Pick<Egress, 'fetch' | 'target' | 'openSocket'>;
  /** Cached tokens that upstreams issued for keys. */
  tokenCache: TokenCache;
  /** Renews an expired login; without it the login is used as it is. */
  renewKey?: RenewKey;
  log: Log;
}
