// Picks the channel of the next attempt: the highest priority that still has one, by weight inside it. Channels already
// tried in this call, cooling down, full, or speaking no format the call can be told in are passed over.
import type { Breaker } from './breaker.ts';
import type { Format } from '#server/providers/provider.ts';
import type { Candidate, CatalogSnapshot, Channel, Tiers } from './catalog.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { spokenFormat } from './spoken-format.ts';

export type Selection = { channel: Channel } | { none: 'no_channel' | 'busy' };

/** What a call asks of a channel. */
export interface Wanted {
  readonly endpoint: { readonly format: Format };
  readonly model: string;
  /** A channel that speaks the caller's own format is taken first, whatever its priority: nothing is lost there. */
  readonly isStrict?: boolean;
}

export function selectChannel(
  tiers: Tiers,
  tried: readonly number[],
  breaker: Breaker,
  wanted: Wanted,
  random: () => number = Math.random,
): Selection {
  if (wanted.isStrict === true) {
    const native = select(tiers, tried, breaker, wanted, true, random);
    if ('channel' in native) return native;
  }
  return select(tiers, tried, breaker, wanted, false, random);
}

/** Nothing serves the model: for the moment, or not at all in this group. */
export function noChannel(catalog: CatalogSnapshot, group: string, model: string): RelayError {
  return new RelayError('no_channel', { group, model }, { isUnknownModel: !catalog.isOffered(group, model) });
}

function serves(channel: Channel, { endpoint, model }: Wanted, isNative: boolean): boolean {
  const format = spokenFormat(channel, endpoint.format, model);
  return isNative ? format === endpoint.format : format !== undefined;
}

function select(
  tiers: Tiers,
  tried: readonly number[],
  breaker: Breaker,
  wanted: Wanted,
  /** Only channels that speak the caller's own format. */
  isNative: boolean,
  random: () => number,
): Selection {
  let isBusy = false;
  for (const tier of tiers) {
    // The usual case: one channel in the tier.
    const [only] = tier;
    if (tier.length === 1 && only !== undefined) {
      if (tried.includes(only.channel.id) || !serves(only.channel, wanted, isNative)) continue;
      if (breaker.admits(only.channel.id, only.channel.maxConcurrency)) return { channel: only.channel };
      isBusy = true;
      continue;
    }
    const open: Candidate[] = [];
    for (const candidate of tier) {
      const { id, maxConcurrency } = candidate.channel;
      if (tried.includes(id) || !serves(candidate.channel, wanted, isNative)) continue;
      if (breaker.admits(id, maxConcurrency)) open.push(candidate);
      else isBusy = true;
    }
    const chosen = weighted(open, random);
    if (chosen !== undefined) return { channel: chosen.channel };
  }
  return { none: isBusy ? 'busy' : 'no_channel' };
}

/** A weight of 0 beside others is a reserve: taken when only zeros are left, then evenly. */
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
