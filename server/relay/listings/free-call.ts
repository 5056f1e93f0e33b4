// A call that reaches no upstream: free, but counted in the limits of its caller.
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { admitFree } from '#server/relay/money/admission.ts';
import { isReachable, pricedFor } from '#server/relay/virtual-models/listed.ts';
import type { Core } from '#server/relay/pipeline/core.ts';

/** Authenticates the caller and counts the call. `named`: the model it is about; else any that the caller may use. */
export async function freeCaller(
  core: Core,
  incoming: Incoming,
  path: string,
  named?: (caller: Caller) => Promise<string>,
): Promise<Caller> {
  const { request, requestId, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
  const model = named === undefined ? anyModel(core, caller) : await named(caller);
  await admitFree(core, requestId, {
    caller,
    model,
    upstreamModel: model,
    channelId: 0,
    channelName: '',
    address,
    path,
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
  });
  return caller;
}

/** The admission writes a price, though nothing is charged. */
function anyModel(core: Core, caller: Caller): string {
  for (const model of core.catalog.current.models(caller.group))
    if (modelAllowed(caller, model) && typeof core.prices.resolve(model, caller.group) !== 'string')
      return model;
  for (const virtual of core.virtualModels.current.values())
    if (modelAllowed(caller, virtual.name) && isReachable(core, virtual, caller.group))
      return pricedFor(core, virtual.name, caller.group);
  throw new RelayError('no_channel', { group: caller.group, model: '*' });
}
