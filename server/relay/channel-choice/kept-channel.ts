// The channel whose upstream holds the state that a call continues, such as a response or a file.
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Breaker } from './breaker.ts';
import type { Catalog, Channel } from './catalog.ts';
import { saturated } from './unserved.ts';

export interface Affinity {
  readonly channelId: number;
  /** Only this channel can answer; otherwise it is preferred. */
  readonly isRequired: boolean;
  /** The channel issued the encrypted reasoning in the input. */
  readonly issuesThoughts?: boolean;
  /** An item of the call that the channel's upstream keeps. */
  readonly itemId?: string;
  /** A file of the call that the channel keeps. */
  readonly fileId?: string;
}

interface Kept {
  readonly model: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly serves: (channel: Channel) => boolean;
}

/** Undefined when any channel will do. */
export function keptChannel(
  { catalog, breaker }: { readonly catalog: Catalog; readonly breaker: Breaker },
  caller: Caller,
  { model, fields, serves }: Kept,
  affinity: Affinity,
): Channel | undefined {
  const { channelId, isRequired } = affinity;
  const found = catalog.current
    .tiers(caller.group, model)
    .flat()
    .find(({ channel }) => channel.id === channelId)?.channel;
  const mayServe =
    found !== undefined &&
    serves(found) &&
    (caller.channelId === undefined || caller.channelId === channelId) &&
    breaker.admits(channelId, found.maxConcurrency, model) &&
    (isRequired || !breaker.headroom.isEmpty(channelId, model));
  if (mayServe) return found;
  if (!isRequired) return undefined;
  if (affinity.fileId !== undefined)
    throw new RelayError('file_channel_away', { id: affinity.fileId }, { param: 'file_id' });
  const limitedSeconds = found === undefined ? 0 : breaker.limitedSeconds(channelId, model);
  if (limitedSeconds > 0) throw saturated(limitedSeconds);
  const previous = affinity.itemId ?? fields['previous_response_id'];
  throw new RelayError(
    'previous_response_away',
    { id: typeof previous === 'string' ? previous.slice(0, 100) : '' },
    { param: affinity.itemId === undefined ? 'previous_response_id' : 'input' },
  );
}
