// Anthropic: the messages format, with the key in its own header.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { namesIn } from '#server/providers/shared/json.ts';
import { joinVersion } from '#server/providers/openai-compatible/style.ts';
import type { Provider } from '#server/providers/provider.ts';

/** Sent when the caller sends no version of its own. */
export const anthropicVersion = '2023-06-01';

const baseUrl = 'https://api.anthropic.com';

export const anthropic: Provider = {
  type: CHANNEL_TYPE.anthropic,
  name: 'Anthropic',
  baseUrl,
  speaks: ['anthropic-messages'],
  reportsStreamUsage: false,
  countsTokens: true,
  url: (channel, call) => joinVersion(channel.baseUrl || baseUrl, messagesPath(call.path)),
  headers: (channel) => ({ 'x-api-key': channel.key, 'anthropic-version': anthropicVersion }),
  listing: {
    url: (channel) => `${joinVersion(channel.baseUrl || baseUrl, '/v1/models')}?limit=1000`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
};

/** Keeps a path of the messages API (counting tokens); all others become /v1/messages. */
export function messagesPath(path: string): string {
  return path.startsWith('/v1/messages') ? path : '/v1/messages';
}
