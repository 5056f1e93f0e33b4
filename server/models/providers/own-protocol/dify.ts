// Dify: each key belongs to one application; the model's name only selects the price.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { dify as codec } from '#server/models/formats/dify/index.ts';
import { joinVersion } from '#server/models/providers/openai-compatible/style.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';

export const dify: Provider = {
  type: CHANNEL_TYPE.dify,
  speaks: ['own'],
  url: (channel) => joinVersion(baseOf(channel, CHANNEL_TYPE.dify), '/v1/chat-messages'),
  headers: bearer,
  ownCodec: codec,
  runsMore: true,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined || status < 400) return undefined;
    const isAccountFault = /^(unauthorized|provider_quota_exceeded|app_unavailable)$/.test(error.code);
    return { ...error, status, isAccountFault };
  },
  listing: null,
};
