// Channels that only make videos at the addresses of OpenAI and Volcengine, with the APIs of those.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { joinVersion, openAiStyle } from '#server/models/providers/openai-compatible/style.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';

export const sora: Provider = openAiStyle({
  type: CHANNEL_TYPE.sora,
  speaks: ['video'],
  url: (channel, { path }) => joinVersion(baseOf(channel, CHANNEL_TYPE.sora), path),
});

export const doubaoVideo: Provider = openAiStyle({
  type: CHANNEL_TYPE.doubaoVideo,
  speaks: ['video'],
  url: (channel, { path }) =>
    baseOf(channel, CHANNEL_TYPE.doubaoVideo).replace(/\/api\/v3$/, '') +
    path.replace(/^\/v1(?=\/)/, '/api/v3'),
  listing: null,
});
