import { channelTypes } from '#server/models/providers/facts/channel-types.ts';
import type { ProviderChannel } from '#server/models/providers/provider.ts';

const defaults = new Map(channelTypes.map(({ type, baseUrl }) => [type, baseUrl]));

/** The channel's base URL, or the usual one of its type, without slashes at its end. */
export function baseOf({ baseUrl }: Pick<ProviderChannel, 'baseUrl'>, type: number): string {
  return (baseUrl || (defaults.get(type) ?? '')).replace(/\/+$/, '');
}

/** The key as most upstreams accept it. */
export const bearer = ({ key }: Pick<ProviderChannel, 'key'>) => ({ Authorization: `Bearer ${key}` });
