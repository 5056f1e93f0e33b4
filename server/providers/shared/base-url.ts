import type { ProviderChannel } from '#server/providers/provider.ts';

/** The channel's base URL, or the provider's, without slashes at its end. */
export function baseOf({ baseUrl }: Pick<ProviderChannel, 'baseUrl'>, providerBaseUrl = ''): string {
  return (baseUrl || providerBaseUrl).replace(/\/+$/, '');
}
