// Dify: each key belongs to one application; the model's name only selects the price.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { dify as codec } from '#server/formats/dify/index.ts';
import { joinVersion } from '#server/providers/openai-compatible/style.ts';
import type { Provider } from '#server/providers/provider.ts';

const baseUrl = 'https://api.dify.ai';

export const dify: Provider = {
  type: CHANNEL_TYPE.dify,
  name: 'Dify',
  baseUrl,
  speaks: ['own'],
  reportsStreamUsage: false,
  url: (channel) => joinVersion(channel.baseUrl || baseUrl, '/v1/chat-messages'),
  headers: (channel) => ({ Authorization: `Bearer ${channel.key}` }),
  ownCodec: codec,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined || status < 400) return undefined;
    const isAccountFault = /^(unauthorized|provider_quota_exceeded|app_unavailable)$/.test(error.code);
    return { ...error, status, isAccountFault };
  },
  listing: null,
};
