// The defaults of upstreams with OpenAI's API: most of them are this plus an address.
import { accountFault } from './account-faults.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import type { Format, Provider, ProviderChannel } from '#server/models/providers/provider.ts';

export const OPEN_AI_FORMATS: readonly Format[] = [
  'openai-chat',
  'openai-completions',
  'openai-embeddings',
  'openai-moderations',
  'openai-images',
  'openai-speech',
  'openai-transcriptions',
  'openai-rerank',
  'openai-responses',
  'openai-realtime',
  'openai-batches',
];

export type OpenAiStyle = Pick<Provider, 'type'> & Partial<Provider>;

export function openAiStyle(provider: OpenAiStyle): Provider {
  return {
    speaks: OPEN_AI_FORMATS,
    reportsStreamUsage: true,
    url: (channel, call) => joinVersion(baseOf(channel, provider.type), call.path),
    headers: bearer,
    refusalIn: accountFault,
    ...provider,
  };
}

/** For upstreams with Anthropic's format beside OpenAI's: they require its version header. */
export function bearerAndVersion(channel: ProviderChannel): Record<string, string> {
  return { ...bearer(channel), 'anthropic-version': '2023-06-01' };
}

/** Operators enter the base with and without `/v1`; both work. */
export function joinVersion(base: string, path: string): string {
  const trimmed = base.replace(/\/+$/, '');
  return trimmed.endsWith('/v1') && path.startsWith('/v1/') ? trimmed + path.slice(3) : trimmed + path;
}
