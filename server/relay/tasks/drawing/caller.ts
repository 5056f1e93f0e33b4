// The caller of a drawing path: Midjourney clients send the key in a header of their own.
import type { Caller, KeyCarrier } from '#server/relay/caller/authenticate.ts';
import { presentedKey } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Core } from '#server/relay/pipeline/core.ts';

/** Midjourney clients send the key in `mj-api-secret`, and some a fixed word in `Authorization`. */
export function withSecret(request: Request): KeyCarrier {
  const { headers } = request;
  const secret = headers.get('mj-api-secret');
  if (secret === null || secret === '') return request;
  const shown = presentedKey({ headers, url: '' })?.key ?? '';
  if (shown !== '' && shown !== 'midjourney') return request;
  return {
    url: request.url,
    headers: { get: (name) => (name.toLowerCase() === 'authorization' ? secret : headers.get(name)) },
  };
}

export async function callerOf(core: Core, incoming: Incoming): Promise<Caller> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(withSecret(request), address, core.settings.current);
  incoming.caller = caller;
  return caller;
}
