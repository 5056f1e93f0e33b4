// The channel of an attempt. The first: the one that stores the conversation the call continues, the one an administrator chose, or
// the best by priority and, within it, by weight or in the order that channel-order.ts arranged. Skipped are channels already tried in
// this call, cooling down, at their concurrency limit, or without a usable format; those known to be at a limit of their upstream are
// used only when no other can be.
import { EXPLORATION_SHARE, type OrderFigures } from '#contract/relay/channel-order.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Breaker } from './breaker.ts';
import { EMBEDDING_FORMATS } from '#server/models/formats/gemini-embeddings.ts';
import { codecs } from '#server/models/formats/index.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { speaksOf } from '#server/models/providers/spoken.ts';
import type { Candidate, Catalog, CatalogSnapshot, Channel, Tiers } from './catalog.ts';
import { arrange, figuresOf, type Arranged, type OrderParts } from './channel-order.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { mapModel } from './mapping.ts';

export type Selection = { channel: Channel } | { none: 'no_channel' | 'busy' };

/** What a call requires of a channel. */
export interface Wanted {
  readonly endpoint: { readonly format: Format };
  readonly model: string;
  /** Prefer channels that speak the caller's format, regardless of priority, because no conversion loses anything. */
  readonly isStrict?: boolean;
}

/** What the first attempt requires beside that. */
export interface FirstWanted extends Wanted {
  /** The channel whose upstream holds the state this call continues. */
  readonly affinity: Affinity | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Affinity {
  readonly channelId: number;
  /** Only this channel can answer; otherwise it is preferred. */
  readonly isRequired: boolean;
  /** The channel issued the encrypted reasoning in the input. */
  readonly issuesThoughts?: boolean;
  /** An item of the call that the channel's upstream keeps. */
  readonly itemId?: string;
  /** A file of the call that the channel keeps. */
  readonly fileId?: string;
}

export interface ChoiceParts {
  readonly catalog: Catalog;
  readonly breaker: Breaker;
  readonly orders: ChannelOrders;
}

/** The channel of the first attempt. It counts as busy from now on, until `breaker.end`. */
export function firstChannel(parts: ChoiceParts, caller: Caller, wanted: FirstWanted): Channel {
  const { model } = wanted;
  const { current } = parts.catalog;
  const { affinity } = wanted;
  const kept = affinity === undefined ? undefined : keptChannel(parts, caller, wanted, affinity);
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
  const selection = selectChannel(parts.orders.of(tiers, model), [], parts.breaker, wanted);
  if ('channel' in selection) {
    parts.breaker.begin(selection.channel.id, model);
    return selection.channel;
  }
  if (selection.none === 'busy') throw channelsBusy(tiers, parts.breaker, model);
  // The model exists, but not for this endpoint, so that a retry cannot help.
  const isElsewhere = tiers.length > 0 || current.isTaskOnly(caller.group, model);
  if (isElsewhere) throw new RelayError('model_not_here', { model }, { param: 'model' });
  throw noChannel(current, caller.group, model);
}

/** Undefined when any channel will do. */
function keptChannel(
  parts: ChoiceParts,
  caller: Caller,
  wanted: FirstWanted,
  affinity: Affinity,
): Channel | undefined {
  const { model, endpoint } = wanted;
  const { channelId, isRequired } = affinity;
  const found = parts.catalog.current
    .tiers(caller.group, model)
    .flat()
    .find(({ channel }) => channel.id === channelId)?.channel;
  const mayServe =
    found !== undefined &&
    spokenFormat(found, endpoint.format, model) !== undefined &&
    (caller.channelId === undefined || caller.channelId === channelId) &&
    parts.breaker.admits(channelId, found.maxConcurrency, model) &&
    (isRequired || !parts.breaker.headroom.isEmpty(channelId, model));
  if (mayServe) return found;
  if (!isRequired) return undefined;
  if (affinity.fileId !== undefined)
    throw new RelayError('file_channel_away', { id: affinity.fileId }, { param: 'file_id' });
  const limitedSeconds = found === undefined ? 0 : parts.breaker.limitedSeconds(channelId, model);
  if (limitedSeconds > 0) throw saturated(limitedSeconds);
  const previous = affinity.itemId ?? wanted.fields['previous_response_id'];
  throw new RelayError(
    'previous_response_away',
    { id: typeof previous === 'string' ? previous.slice(0, 100) : '' },
    { param: affinity.itemId === undefined ? 'previous_response_id' : 'input' },
  );
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
  if (wanted.isStrict === true) {
    const isNative = (channel: Channel): boolean => formatFor(channel, wanted) === wanted.endpoint.format;
    const native = select(tiers, { serves: isNative, model: wanted.model }, tried, breaker, random);
    if ('channel' in native) return native;
  }
  const serves = (channel: Channel): boolean => formatFor(channel, wanted) !== undefined;
  return select(tiers, { serves, model: wanted.model }, tried, breaker, random);
}

/** The error for a model without a usable channel: temporarily, or not at all in this group. */
export function noChannel(
  catalog: CatalogSnapshot,
  group: string,
  model: string,
  asked: string = model,
): RelayError {
  const isUnknownModel = !catalog.isOffered(group, model);
  return new RelayError('no_channel', { group, model: asked }, { isUnknownModel });
}

const BUSY_SECONDS = 5;

/** All channels are at their limit or cool down; the caller reads when that ends. An upstream's limit stays a 429. */
export function channelsBusy(tiers: Tiers, breaker: Breaker, model: string): RelayError {
  const channels = tiers.flat().map(({ channel }) => channel);
  const limits = channels.map(({ id }) => breaker.limitedSeconds(id, model)).filter((seconds) => seconds > 0);
  if (limits.length > 0) return saturated(Math.min(...limits));
  const waits = channels.map(({ id }) => breaker.coolingSeconds(id, model) || BUSY_SECONDS);
  return new RelayError('channels_busy', {}, { retryAfterSeconds: Math.min(...waits, 60) });
}

export const saturated = (retryAfterSeconds: number): RelayError =>
  new RelayError('upstream_saturated', {}, { retryAfterSeconds });

function formatFor(channel: Channel, { endpoint, model }: Wanted): Format | undefined {
  return spokenFormat(channel, endpoint.format, model);
}

function select(
  tiers: Tiers,
  { serves, model }: { serves: (channel: Channel) => boolean; model: string },
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
    const chosen = weighted(withShares(open, breaker, model), random);
    if (chosen !== undefined) return { channel: chosen.channel };
    if (atLimit.length > 0) empty ??= atLimit;
  }
  const chosen = empty && weighted(empty, random);
  if (chosen !== undefined) return { channel: chosen.channel };
  return { none: isBusy ? 'busy' : 'no_channel' };
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
