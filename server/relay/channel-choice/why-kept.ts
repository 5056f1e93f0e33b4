// Why a conversation kept its channel or not, for the log row. Asked once a call, and only where a model has several channels.
import type { KeptWord } from '#contract/relay/kept-channel.ts';
import type { Breaker } from './breaker.ts';
import type { Catalog, Channel, Tiers } from './catalog.ts';

export interface KeptRecord {
  readonly why: KeptWord;
  /** That answered the conversation last; undefined: none was known. */
  readonly channel?: number;
}

interface Choosing {
  readonly catalog: Catalog;
  readonly breaker: Breaker;
  readonly tiers: Tiers;
  readonly model: string;
  readonly serves: (channel: Channel) => boolean;
}

const BY_WEIGHT: KeptRecord = { why: 'weight' };

/** Undefined: the model has one channel. Before the chosen one counts as busy. */
export function whyKept(
  choosing: Choosing,
  warmId: number | undefined,
  chosen: Channel,
): KeptRecord | undefined {
  const [first, second] = choosing.tiers;
  if (first === undefined || (second === undefined && first.length === 1)) return undefined;
  if (warmId === undefined) return BY_WEIGHT;
  return { why: warmId === chosen.id ? 'kept' : whyLeft(choosing, warmId, chosen), channel: warmId };
}

function whyLeft(
  { catalog, breaker, tiers, model, serves }: Choosing,
  id: number,
  chosen: Channel,
): KeptWord {
  const tierOf = (channelId: number) =>
    tiers.findIndex((tier) => tier.some(({ channel }) => channel.id === channelId));
  const place = tierOf(id);
  const channel = tiers[place]?.find((candidate) => candidate.channel.id === id)?.channel;
  if (channel === undefined) return catalog.current.channel(id)?.isEnabled === false ? 'off' : 'gone';
  if (!serves(channel)) return 'unsuited';
  if (!breaker.admits(id, 0, model)) return 'paused';
  if (!breaker.admits(id, channel.maxConcurrency, model)) return 'busy';
  if (breaker.headroom.isEmpty(id, model)) return 'limit';
  if (tierOf(chosen.id) !== place) return 'priority';
  return 'reserve';
}
