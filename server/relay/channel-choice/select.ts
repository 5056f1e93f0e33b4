// The channel of an attempt. The first: the one that stores what the call continues, the one an administrator chose, or the best by priority and, within it, by weight or in the order that channel-order.ts arranged. Skipped are
// channels already tried in this call, cooling down, at their concurrency limit, or without a usable format; those known to be at a
// limit of their upstream are used only when no other can be. Of one tier a conversation keeps the channel that answered it last.
import { EXPLORATION_SHARE, type OrderFigures } from '#contract/relay/channel-order.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Breaker } from './breaker.ts';
import { EMBEDDING_FORMATS } from '#server/models/formats/gemini-embeddings.ts';
import { codecs } from '#server/models/formats/index.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { speaksOf } from '#server/models/providers/spoken.ts';
import type { Candidate, Catalog, Channel, Tiers } from './catalog.ts';
import { arrange, figuresOf, type Arranged, type OrderParts } from './channel-order.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { keptChannel, type Affinity } from './kept-channel.ts';
import { mapModel } from './mapping.ts';
import { channelsBusy, noChannel } from './unserved.ts';
import type { WarmChannels } from './warm-channels.ts';
import { whyKept, type KeptRecord } from './why-kept.ts';

export type Selection = { channel: Channel } | { none: 'no_channel' | 'busy' };

/** What a call requires of a channel. */
export interface Wanted {
  readonly endpoint: { readonly format: Format };
  readonly model: string;
  /** Prefer channels that speak the caller's format, regardless of priority, because no conversion loses anything. */
  readonly isStrict?: boolean;
  /** The channel that answered the conversation last: before the others of its tier. */
  warmId?: number | undefined;
}

interface Choice extends Pick<Wanted, 'model' | 'warmId'> {
  readonly serves: (channel: Channel) => boolean;
}

/** What the first attempt requires beside that. */
export interface FirstWanted extends Wanted {
  /** The channel whose upstream holds the state this call continues. */
  readonly affinity: Affinity | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Set here: the name of the conversation among warm channels. */
  conversationName?: string | undefined;
  /** Set here: whether the conversation kept its channel. */
  kept?: KeptRecord | undefined;
}

export interface ChoiceParts {
  readonly catalog: Catalog;
  readonly breaker: Breaker;
  readonly orders: ChannelOrders;
  readonly warm: WarmChannels;
}

/** The channel of the first attempt. It counts as busy from now on, until `breaker.end`. */
export function firstChannel(
  parts: ChoiceParts,
  caller: Caller,
  wanted: FirstWanted,
  headers: Pick<Headers, 'get'>,
): Channel {
  const { model } = wanted;
  const { current } = parts.catalog;
  const { affinity } = wanted;
  const serves = (channel: Channel): boolean => formatFor(channel, wanted) !== undefined;
  const kept =
    affinity === undefined
      ? undefined
      : keptChannel(parts, caller, { model, fields: wanted.fields, serves }, affinity);
  if (kept !== undefined) {
    parts.breaker.begin(kept.id, model);
    return kept;
  }
  if (caller.channelId !== undefined) {
    const channel = current.channel(caller.channelId);
    if (channel === undefined) throw new RelayError('channel_unknown');
    if (!channel.isEnabled) throw new RelayError('channel_disabled');
    parts.breaker.begin(channel.id, model);
    return channel;
  }
  const tiers = current.tiers(caller.group, model);
  const isWarmUsed = parts.warm.isUsed(tiers);
  if (isWarmUsed) findWarm(parts.warm, caller, wanted, headers);
  const selection = selectChannel(parts.orders.of(tiers, model), [], parts.breaker, wanted);
  if ('channel' in selection) {
    const { channel } = selection;
    if (isWarmUsed) wanted.kept = whyKept({ ...parts, tiers, model, serves }, wanted.warmId, channel);
    parts.breaker.begin(channel.id, model);
    return channel;
  }
  if (selection.none === 'busy') throw channelsBusy(tiers, parts.breaker, model);
  // The model exists, but not for this endpoint, so that a retry cannot help.
  const isElsewhere = tiers.length > 0 || current.isTaskOnly(caller.group, model);
  if (isElsewhere) throw new RelayError('model_not_here', { model }, { param: 'model' });
  throw noChannel(current, caller.group, model);
}

function findWarm(
  warm: WarmChannels,
  { userId }: Caller,
  wanted: FirstWanted,
  headers: Pick<Headers, 'get'>,
): void {
  const name = warm.name(userId, wanted.model, headers, wanted.fields);
  wanted.conversationName = name;
  wanted.warmId = warm.find(name, wanted.fields);
}

export interface ChannelOrders {
  /** The tiers in the order of the setting. `random` decides which arrangement this call gets, where there are several. */
  of(tiers: Tiers, model: string, random?: () => number): Tiers;
  figures(candidate: Candidate, model: string): OrderFigures;
  /** Reads old figures again. */
  refresh(): Promise<void>;
}

/** An arrangement is kept until a figure changes: a call looks it up and computes nothing. */
export function createChannelOrders(parts: OrderParts): ChannelOrders {
  const { order, costs, speeds } = parts;
  const known = new WeakMap<Tiers, Arranged>();
  return {
    figures: (candidate, model) => figuresOf(parts, candidate, model),
    refresh: () => speeds.refresh(),
    of(tiers, model, random = Math.random) {
      const current = order();
      if (current === 'fastest' || current === 'balanced') void speeds.refresh();
      let arranged = known.get(tiers);
      if (
        arranged === undefined ||
        arranged.order !== current ||
        arranged.costVersion !== costs.version ||
        arranged.speedVersion !== speeds.version
      ) {
        arranged = arrange(parts, tiers, model, current);
        known.set(tiers, arranged);
      }
      const { variants } = arranged;
      const draw = variants.length === 1 ? 0 : random();
      const variant = variants.findLast(({ from }) => from <= draw);
      if (variant === undefined) return tiers;
      if (variant.exploring !== undefined && random() < EXPLORATION_SHARE) return variant.exploring;
      return variant.tiers;
    },
  };
}

export function selectChannel(
  tiers: Tiers,
  tried: readonly number[],
  breaker: Breaker,
  wanted: Wanted,
  random: () => number = Math.random,
): Selection {
  const { model, warmId } = wanted;
  if (wanted.isStrict === true) {
    const isNative = (channel: Channel): boolean => formatFor(channel, wanted) === wanted.endpoint.format;
    const native = select(tiers, { serves: isNative, model, warmId }, tried, breaker, random);
    if ('channel' in native) return native;
  }
  const serves = (channel: Channel): boolean => formatFor(channel, wanted) !== undefined;
  return select(tiers, { serves, model, warmId }, tried, breaker, random);
}

function formatFor(channel: Channel, { endpoint, model }: Wanted): Format | undefined {
  return spokenFormat(channel, endpoint.format, model);
}

function select(
  tiers: Tiers,
  { serves, model, warmId }: Choice,
  tried: readonly number[],
  breaker: Breaker,
  random: () => number,
): Selection {
  let isBusy = false;
  // At their limits, as far as is known: only for a call that no other can serve.
  let empty: Candidate[] | undefined;
  for (const tier of tiers) {
    // Fast path: one channel in the tier.
    const [only] = tier;
    if (tier.length === 1 && only !== undefined) {
      const { id, maxConcurrency } = only.channel;
      if (tried.includes(id) || !serves(only.channel)) continue;
      if (!breaker.admits(id, maxConcurrency, model)) isBusy = true;
      else if (breaker.headroom.isEmpty(id, model)) empty ??= [only];
      else return { channel: only.channel };
      continue;
    }
    const open: Candidate[] = [];
    const atLimit: Candidate[] = [];
    for (const candidate of tier) {
      const { id, maxConcurrency } = candidate.channel;
      if (tried.includes(id) || !serves(candidate.channel)) continue;
      if (!breaker.admits(id, maxConcurrency, model)) isBusy = true;
      else if (breaker.headroom.isEmpty(id, model)) atLimit.push(candidate);
      else open.push(candidate);
    }
    const chosen =
      (warmId === undefined ? undefined : warmOf(open, warmId)) ??
      weighted(withShares(open, breaker, model), random);
    if (chosen !== undefined) return { channel: chosen.channel };
    if (atLimit.length > 0) empty ??= atLimit;
  }
  const chosen = empty && weighted(empty, random);
  if (chosen !== undefined) return { channel: chosen.channel };
  return { none: isBusy ? 'busy' : 'no_channel' };
}

/** A reserve stays one. */
function warmOf(candidates: readonly Candidate[], warmId: number): Candidate | undefined {
  const warm = candidates.find(({ channel }) => channel.id === warmId);
  if (warm === undefined || warm.weight > 0) return warm;
  return candidates.every(({ weight }) => weight === 0) ? warm : undefined;
}

/** With less weight for those of whose limits less than half is left. */
function withShares(
  candidates: readonly Candidate[],
  { headroom }: Breaker,
  model: string,
): readonly Candidate[] {
  if (!candidates.some(({ channel }) => headroom.share(channel.id, model) < 1)) return candidates;
  return candidates.map(({ channel, weight }) => ({
    channel,
    weight: weight * headroom.share(channel.id, model),
  }));
}

/** Channels of weight 0 are a reserve: used, evenly, only when no channel with a weight is left in the tier. */
function weighted(candidates: readonly Candidate[], random: () => number): Candidate | undefined {
  const sum = candidates.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return candidates[Math.floor(random() * candidates.length)];
  let ticket = random() * sum;
  for (const candidate of candidates) {
    ticket -= candidate.weight;
    if (candidate.weight > 0 && ticket < 0) return candidate;
  }
  return candidates.findLast(({ weight }) => weight > 0);
}

/**
 * The format towards a channel: the caller's if the upstream supports it, else one that both sides have a codec for.
 * `model`: the caller's name for it. Undefined when the channel cannot serve the call.
 */
export function spokenFormat(channel: Channel, format: Format, model: string): Format | undefined {
  const { provider } = channel;
  if (provider.speaksFor === undefined && channel.refusedFormats.size === 0) {
    return provider.speaks.includes(format) ? format : convertible(channel, format, provider.speaks);
  }
  let byModel = answers.get(channel);
  if (byModel === undefined) answers.set(channel, (byModel = new Map()));
  let known = byModel.get(model);
  if (known === undefined) {
    if (byModel.size >= 1000) byModel.clear();
    byModel.set(model, (known = new Map()));
  }
  if (known.has(format)) return known.get(format);
  const speaks = speaksOf(provider, channel, mapModel(channel.modelMapping, model));
  const answer = speaks.includes(format) ? format : convertible(channel, format, speaks);
  known.set(format, answer);
  return answer;
}

const answers = new WeakMap<Channel, Map<string, Map<Format, Format | undefined>>>();

function convertible({ provider }: Channel, format: Format, speaks: readonly Format[]): Format | undefined {
  if (format === 'gemini-embeddings') return EMBEDDING_FORMATS.find((each) => speaks.includes(each));
  if (codecs[format] === undefined) return undefined;
  return speaks.find(
    (each) => codecs[each] !== undefined || (each === 'own' && provider.ownCodec !== undefined),
  );
}
