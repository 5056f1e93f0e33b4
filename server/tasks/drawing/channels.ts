// The channel of a submission: for a follow-up that of the original drawing, else as the relay selects.
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { channelsBusy, selectChannel, type Wanted } from '#server/relay/channels/select.ts';

/** The requirements of a drawing for the channel selection. */
export const drawingOf = (model: string): Wanted => ({ endpoint: { format: 'midjourney' }, model });

export const servesDrawings = (channel: Channel | undefined): channel is Channel =>
  channel?.provider.speaks.includes('midjourney') === true;

/** Counts the channel as busy; the caller must end that with `breaker.end`. */
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
    const isAway = pinned !== undefined && (!servesDrawings(channel) || !channel.isEnabled);
    if (isAway) throw new RelayError('task_channel_away');
    if (!servesDrawings(channel)) throw new RelayError('channel_unknown');
    if (!channel.isEnabled) throw new RelayError('channel_disabled');
    core.breaker.begin(channel.id);
    return channel;
  }
  const tiers = current.tiers(caller.group, model);
  const selection = selectChannel(tiers, [], core.breaker, drawingOf(model));
  if (!('channel' in selection)) {
    if (selection.none === 'busy') throw channelsBusy(tiers, core.breaker);
    throw new RelayError('no_channel', { group: caller.group, model });
  }
  core.breaker.begin(selection.channel.id);
  return selection.channel;
}
