// Azure OpenAI: OpenAI's API with the model as a deployment in the URL, a dated version and its own key header. Claude on
// Azure is below the same endpoint, in Anthropic's format.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ANTHROPIC_VERSION, messagesPath } from '#server/models/providers/anthropic/anthropic.ts';
import { namesIn } from '#server/models/providers/shared/json.ts';
import { OPEN_AI_FORMATS, openAiStyle } from './style.ts';
import type { ProviderChannel } from '#server/models/providers/provider.ts';

const DEFAULT_VERSION = '2024-12-01-preview';

const isClaude = (model: string): boolean => model.startsWith('claude');

export const azure = openAiStyle({
  type: CHANNEL_TYPE.azure,
  speaks: OPEN_AI_FORMATS.filter((format) => format !== 'openai-rerank' && format !== 'openai-moderations'),
  speaksFor: (model) => (isClaude(model) ? ['anthropic-messages'] : azure.speaks),
  url(channel, { format, path, model }) {
    const base = endpointOf(channel);
    if (format === 'anthropic-messages') return `${base}/anthropic${messagesPath(path)}`;
    // Responses are not bound to a deployment: the model stays in the body.
    if (format === 'openai-responses') return `${base}/openai${path}?api-version=preview`;
    if (format === 'openai-batches')
      return `${base}/openai${withoutVersion(path)}?api-version=${versionOf(channel)}`;
    const version = `api-version=${encodeURIComponent(versionOf(channel))}`;
    const deployment = deploymentOf(model);
    if (format === 'openai-realtime') return `${base}/openai/realtime?${version}&deployment=${deployment}`;
    return `${base}/openai/deployments/${deployment}${withoutVersion(path)}?${version}`;
  },
  batchPath: withoutVersion,
  // Required by Anthropic's path, ignored by the others.
  headers: (channel) => ({ 'api-key': channel.key, 'anthropic-version': ANTHROPIC_VERSION }),
  listing: {
    url: (channel) => `${endpointOf(channel)}/openai/models?api-version=${versionOf(channel)}`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
});

function withoutVersion(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}

function endpointOf({ baseUrl }: ProviderChannel): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '');
}

function versionOf({ other }: ProviderChannel): string {
  return other.trim() || DEFAULT_VERSION;
}

/** Azure names only this model family without the dot. */
function deploymentOf(model: string): string {
  return encodeURIComponent(model.replace(/^gpt-3\.5/, 'gpt-35'));
}
