// AIProxy's knowledge bases; the channel names one.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { aiproxyLibrary as codec } from '#server/models/formats/aiproxy-library/index.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';

export const aiproxyLibrary: Provider = {
  type: CHANNEL_TYPE.aiProxyLibrary,
  speaks: ['own'],
  url: (channel) => `${baseOf(channel, CHANNEL_TYPE.aiProxyLibrary)}/api/library/ask`,
  headers: bearer,
  adjust: (body, _call, channel) => ({ ...body, libraryId: channel.other.trim() }),
  ownCodec: codec,
  runsMore: true,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined) return undefined;
    return { ...error, status: status >= 400 ? status : 502, isAccountFault: status === 401 };
  },
  listing: null,
};
