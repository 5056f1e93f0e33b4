// Azure OpenAI: OpenAI's API with the model as a deployment in the address, a dated version and a key header of its own.
// Claude on Azure stands under the same endpoint in Anthropic's format.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { anthropicVersion, messagesPath } from '#server/providers/anthropic/anthropic.ts';
import { namesIn } from '#server/providers/shared/json.ts';
import { openAiFormats, openAiStyle } from './style.ts';
import type { ProviderChannel } from '#server/providers/provider.ts';

const defaultVersion = '2024-12-01-preview';

const isClaude = (model: string): boolean => model.startsWith('claude');

export const azure = openAiStyle({
  type: CHANNEL_TYPE.azure,
  name: 'Azure',
  baseUrl: '',
  speaks: openAiFormats.filter((format) => format !== 'openai-rerank' && format !== 'openai-moderations'),
  speaksFor: (model) => (isClaude(model) ? ['anthropic-messages'] : azure.speaks),
  url(channel, { format, path, model }) {
    const base = endpointOf(channel);
    if (format === 'anthropic-messages') return `${base}/anthropic${messagesPath(path)}`;
    // Responses are not bound to a deployment: the model stays in the body.
    if (format === 'openai-responses') return `${base}/openai${path}?api-version=preview`;
    const version = `api-version=${encodeURIComponent(versionOf(channel))}`;
    const deployment = deploymentOf(model);
    if (format === 'openai-realtime') return `${base}/openai/realtime?${version}&deployment=${deployment}`;
    return `${base}/openai/deployments/${deployment}${path.replace(/^\/v1/, '')}?${version}`;
  },
  // Anthropic's version header means nothing to the other paths and is required on that one.
  headers: (channel) => ({ 'api-key': channel.key, 'anthropic-version': anthropicVersion }),
  listing: {
    url: (channel) => `${endpointOf(channel)}/openai/models?api-version=${versionOf(channel)}`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
});

function endpointOf({ baseUrl }: ProviderChannel): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '');
}

function versionOf({ other }: ProviderChannel): string {
  return other.trim() || defaultVersion;
}

/** Azure's own name of the one family whose dot it never took; other deployments may carry dots. */
function deploymentOf(model: string): string {
  return encodeURIComponent(model.replace(/^gpt-3\.5/, 'gpt-35'));
}
