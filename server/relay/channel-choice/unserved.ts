// The errors of a call for which there is no channel, or none now.
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Breaker } from './breaker.ts';
import type { CatalogSnapshot, Tiers } from './catalog.ts';

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
