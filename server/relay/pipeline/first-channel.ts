// The channel of a call's first attempt: the one that stores the conversation it continues, the one an administrator chose,
// or the best one by priority and weight.
import {
  channelsBusy,
  noChannel,
  saturated,
  selectChannel,
  spokenFormat,
} from '#server/relay/channel-choice/select.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from './core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Affinity, PreparedCall } from '#server/relay/upstream-body/prepare.ts';

/** The channel of the first attempt. It counts as busy from now on, until `breaker.end`. */
export function firstChannel(core: Core, caller: Caller, prepared: PreparedCall): Channel {
  const { model } = prepared;
  const { current } = core.catalog;
  const { affinity } = prepared;
  const kept = affinity === undefined ? undefined : keptChannel(core, caller, prepared, affinity);
  if (kept !== undefined) {
    core.breaker.begin(kept.id, model);
    return kept;
  }
  if (caller.channelId !== undefined) {
    const channel = current.channel(caller.channelId);
    if (channel === undefined) throw new RelayError('channel_unknown');
    if (!channel.isEnabled) throw new RelayError('channel_disabled');
    core.breaker.begin(channel.id, model);
    return channel;
  }
  const tiers = current.tiers(caller.group, model);
  const selection = selectChannel(core.orders.of(tiers, model), [], core.breaker, prepared);
  if ('channel' in selection) {
    core.breaker.begin(selection.channel.id, model);
    return selection.channel;
  }
  if (selection.none === 'busy') throw channelsBusy(tiers, core.breaker, model);
  // The model exists, but not for this endpoint, so that a retry cannot help.
  const isElsewhere = tiers.length > 0 || current.isTaskOnly(caller.group, model);
  if (isElsewhere) throw new RelayError('model_not_here', { model }, { param: 'model' });
  throw noChannel(current, caller.group, model);
}

/** Undefined when any channel will do. */
function keptChannel(
  core: Core,
  caller: Caller,
  prepared: PreparedCall,
  affinity: Affinity,
): Channel | undefined {
  const { model, endpoint } = prepared;
  const { channelId, isRequired } = affinity;
  const found = core.catalog.current
    .tiers(caller.group, model)
    .flat()
    .find(({ channel }) => channel.id === channelId)?.channel;
  const mayServe =
    found !== undefined &&
    spokenFormat(found, endpoint.format, model) !== undefined &&
    (caller.channelId === undefined || caller.channelId === channelId) &&
    core.breaker.admits(channelId, found.maxConcurrency, model);
  if (mayServe) return found;
  if (!isRequired) return undefined;
  if (affinity.fileId !== undefined)
    throw new RelayError('file_channel_away', { id: affinity.fileId }, { param: 'file_id' });
  const limitedSeconds = found === undefined ? 0 : core.breaker.limitedSeconds(channelId, model);
  if (limitedSeconds > 0) throw saturated(limitedSeconds);
  const previous = affinity.itemId ?? prepared.fields['previous_response_id'];
  throw new RelayError(
    'previous_response_away',
    { id: typeof previous === 'string' ? previous.slice(0, 100) : '' },
    { param: affinity.itemId === undefined ? 'previous_response_id' : 'input' },
  );
}
