// Midjourney behind a proxy. Drawings are tasks (server/relay/tasks/drawing); this file has the address and the key header.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Provider, ProviderChannel, UpstreamCall } from '#server/models/providers/provider.ts';

function proxyOf(type: number): Provider {
  return {
    type,
    speaks: ['midjourney'],
    url: ({ baseUrl }: ProviderChannel, { path }: UpstreamCall) =>
      baseUrl.replace(/\/+$/, '').replace(/\/mj$/, '') + path,
    headers: ({ key }): Record<string, string> => (key === '' ? {} : { 'mj-api-secret': key }),
    listing: null,
  };
}

export const midjourneyProxies: readonly Provider[] = [
  proxyOf(CHANNEL_TYPE.midjourneyProxy),
  proxyOf(CHANNEL_TYPE.midjourneyProxyPlus),
];
