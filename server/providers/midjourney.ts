// Midjourney by way of a proxy that speaks for it. Drawings are tasks (server/tasks/drawing); here is where it lives and how
// its key is shown.
import type { Provider, ProviderChannel, UpstreamCall } from './provider.ts';

function proxyOf(type: number, name: string): Provider {
  return {
    type,
    name,
    baseUrl: '',
    speaks: ['midjourney'],
    url: ({ baseUrl }: ProviderChannel, { path }: UpstreamCall) =>
      baseUrl.replace(/\/+$/, '').replace(/\/mj$/, '') + path,
    headers: ({ key }): Record<string, string> => (key === '' ? {} : { 'mj-api-secret': key }),
    reportsStreamUsage: false,
    listing: null,
  };
}

export const midjourneyProxies: readonly Provider[] = [
  proxyOf(2, 'Midjourney Proxy'),
  proxyOf(5, 'Midjourney Proxy Plus'),
];
