// Which channel draws: for a follow-up the one that made the drawing, for anything else as the relay chooses.
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { selectChannel, type Wanted } from '#server/relay/channels/select.ts';

/** What a drawing asks of a channel. */
export const drawingOf = (model: string): Wanted => ({ endpoint: { format: 'midjourney' }, model });

export const draws = (channel: Channel | undefined): channel is Channel =>
  channel?.provider.speaks.includes('midjourney') === true;

/** Counted as busy from now on: whoever takes it ends that with `breaker.end`. */
export function chosenChannel(
  core: Core,
  caller: Caller,
  model: string,
  pinned: number | undefined,
): Channel {
  const { current } = core.catalog;
  const wanted = pinned ?? caller.channelId;
  if (wanted !== undefined) {
    const channel = current.channel(wanted);
    const isAway = pinned !== undefined && (!draws(channel) || !channel.isEnabled);
    if (isAway) throw new RelayError('task_channel_away');
    if (!draws(channel)) throw new RelayError('channel_unknown');
    if (!channel.isEnabled) throw new RelayError('channel_disabled');
    core.breaker.begin(channel.id);
    return channel;
  }
  const selection = selectChannel(current.tiers(caller.group, model), [], core.breaker, drawingOf(model));
  if (!('channel' in selection)) {
    if (selection.none === 'busy') throw new RelayError('channels_busy', {}, { retryAfterSeconds: 5 });
    throw new RelayError('no_channel', { group: caller.group, model });
  }
  core.breaker.begin(selection.channel.id);
  return selection.channel;
}
