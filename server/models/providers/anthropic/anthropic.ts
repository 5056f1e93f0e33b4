// Anthropic: the messages format, with the key in its own header.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { namesIn } from '#server/models/providers/shared/json.ts';
import { joinVersion } from '#server/models/providers/openai-compatible/style.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';

/** Sent when the caller sends no version of its own. */
export const ANTHROPIC_VERSION = '2023-06-01';

export const anthropic: Provider = {
  type: CHANNEL_TYPE.anthropic,
  speaks: ['anthropic-messages', 'anthropic-batches'],
  countsTokens: true,
  url: (channel, call) => joinVersion(baseOf(channel, CHANNEL_TYPE.anthropic), messagesPath(call.path)),
  headers: (channel) => ({ 'x-api-key': channel.key, 'anthropic-version': ANTHROPIC_VERSION }),
  listing: {
    url: (channel) => `${joinVersion(baseOf(channel, CHANNEL_TYPE.anthropic), '/v1/models')}?limit=1000`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
};

/** Keeps a path of the messages API (counting tokens); all others become /v1/messages. */
export function messagesPath(path: string): string {
  return path.startsWith('/v1/messages') ? path : '/v1/messages';
}
