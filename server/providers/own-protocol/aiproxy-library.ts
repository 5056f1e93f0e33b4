// AIProxy's knowledge bases; the channel names one.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { aiproxyLibrary as codec } from '#server/formats/aiproxy-library/index.ts';
import type { Provider } from '#server/providers/provider.ts';
import { baseOf } from '#server/providers/shared/base-url.ts';

const baseUrl = 'https://api.aiproxy.io';

export const aiproxyLibrary: Provider = {
  type: CHANNEL_TYPE.aiProxyLibrary,
  name: 'AIProxy library',
  baseUrl,
  speaks: ['own'],
  reportsStreamUsage: false,
  url: (channel) => `${baseOf(channel, baseUrl)}/api/library/ask`,
  headers: (channel) => ({ Authorization: `Bearer ${channel.key}` }),
  adjust: (body, _call, channel) => ({ ...body, libraryId: channel.other.trim() }),
  ownCodec: codec,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined) return undefined;
    return { ...error, status: status >= 400 ? status : 502, isAccountFault: status === 401 };
  },
  listing: null,
};
