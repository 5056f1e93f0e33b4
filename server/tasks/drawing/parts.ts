// Dependencies and authentication that all drawing endpoints share.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { presentedKey } from '#server/relay/caller/credentials.ts';
import type { Caller, KeyCarrier } from '#server/relay/caller/authenticate.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { TaskRows } from '#server/tasks/rows.ts';
import type { Changes } from './changes.ts';

export const PLATFORM = 'midjourney';

export interface DrawingParts {
  readonly core: Core;
  readonly rows: TaskRows;
  readonly changes: Changes;
  /** Time between two polls of a task. */
  readonly pollSeconds: number;
  /** Aborted when the process ends; cancels running polls. */
  readonly life: AbortSignal;
}

/** Midjourney clients send the key in `mj-api-secret`, and some a fixed word in `Authorization`. */
export function withSecret(request: Request): KeyCarrier {
  const { headers } = request;
  const secret = headers.get('mj-api-secret');
  if (secret === null || secret === '') return request;
  const shown = presentedKey(headers, '')?.key ?? '';
  if (shown !== '' && shown !== 'midjourney') return request;
  return {
    url: request.url,
    headers: { get: (name) => (name.toLowerCase() === 'authorization' ? secret : headers.get(name)) },
  };
}

export async function callerOf({ core }: DrawingParts, incoming: Incoming): Promise<Caller> {
  const { settings } = core;
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(withSecret(request), address, settings.current);
  incoming.caller = caller;
  return caller;
}
