// The channel of a submission: for a follow-up that of the original task, else as the relay selects.
import type { Format } from '#server/models/formats/format.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Task } from './rows.ts';
import { selectChannel, type Wanted } from '#server/relay/channel-choice/select.ts';
import { channelsBusy } from '#server/relay/channel-choice/unserved.ts';

/** The requirements of a task for the channel selection. */
export const wantedFor = (format: Format, model: string): Wanted => ({ endpoint: { format }, model });

export const serves = (channel: Channel | undefined, format: Format): channel is Channel =>
  channel?.provider.speaks.includes(format) === true;

/** What a task continues or uses, such as another task or a file. */
export type Origin = Pick<Task, 'channel_id' | 'model'>;

/**
 * The channel that has the original still serves the group in which the follow-up is priced: for the model of the follow-up or
 * of the original, because follow-ups of drawings have models of their own.
 */
export function hasOrigin({ catalog }: Core, caller: Caller, wanted: Wanted, origin: Origin): boolean {
  const { current } = catalog;
  const channel = current.channel(origin.channel_id);
  if (!serves(channel, wanted.endpoint.format) || !channel.isEnabled) return false;
  if (caller.channelId === channel.id) return true;
  return [wanted.model, origin.model].some((model) =>
    current
      .tiers(caller.group, model)
      .flat()
      .some((candidate) => candidate.channel.id === channel.id),
  );
}

/** `pinned`: checked by `hasOrigin`. Counts the channel as busy; the caller must end that with `breaker.end`. */
export function chosenChannel(
  core: Core,
  caller: Caller,
  wanted: Wanted,
  pinned: number | undefined,
): Channel {
  const { current } = core.catalog;
  const {
    model,
    endpoint: { format },
  } = wanted;
  const only = pinned ?? caller.channelId;
  if (only !== undefined) {
    const channel = current.channel(only);
    if (!serves(channel, format)) throw new RelayError('channel_unknown');
    if (!channel.isEnabled) throw new RelayError('channel_disabled');
    core.breaker.begin(channel.id, model);
    return channel;
  }
  const tiers = current.tiers(caller.group, model);
  const selection = selectChannel(core.orders.of(tiers, model), [], core.breaker, wanted);
  if (!('channel' in selection)) {
    if (selection.none === 'busy') throw channelsBusy(tiers, core.breaker, model);
    throw new RelayError('no_channel', { group: caller.group, model });
  }
  core.breaker.begin(selection.channel.id, model);
  return selection.channel;
}
