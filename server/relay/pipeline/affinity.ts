// A call that goes on with something one channel keeps: that channel is taken as long as it may serve the caller.
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from './core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { PreparedCall } from '#server/relay/upstream/prepare.ts';
import { spokenFormat } from '#server/relay/channels/spoken-format.ts';

/** undefined: any channel will do. */
export function keptChannel(core: Core, caller: Caller, prepared: PreparedCall): Channel | undefined {
  const { affinity, model, endpoint } = prepared;
  if (affinity === undefined) return undefined;
  const { channelId, isRequired } = affinity;
  const found = core.catalog.current
    .tiers(caller.group, model)
    .flat()
    .find(({ channel }) => channel.id === channelId)?.channel;
  const mayServe =
    found !== undefined &&
    spokenFormat(found, endpoint.format, model) !== undefined &&
    (caller.channelId === undefined || caller.channelId === channelId) &&
    core.breaker.admits(channelId, found.maxConcurrency);
  if (mayServe) return found;
  if (!isRequired) return undefined;
  const previous = prepared.fields['previous_response_id'];
  throw new RelayError(
    'previous_response_away',
    { id: typeof previous === 'string' ? previous.slice(0, 100) : '' },
    { param: 'previous_response_id' },
  );
}
