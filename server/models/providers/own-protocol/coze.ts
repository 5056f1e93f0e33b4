// Coze: the channel names the bot, else the model's name is the bot id.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { coze as codec } from '#server/models/formats/coze/index.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';

/** Token, permission or balance: 4100, 4101, 4027, 4028; rate limit: 4013, 4015. */
const ACCOUNT_FAULTS = new Set(['4100', '4101', '4027', '4028', '700012006']);
const RATE_LIMITS = new Set(['4013', '4015', '4009']);

export const coze: Provider = {
  type: CHANNEL_TYPE.coze,
  speaks: ['own'],
  alwaysStreams: true,
  url: (channel) => `${baseOf(channel, CHANNEL_TYPE.coze)}/v3/chat`,
  headers: bearer,
  adjust: (body, { model }, channel) => ({ bot_id: channel.other.trim() || model, ...body }),
  ownCodec: codec,
  runsMore: true,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined) return undefined;
    const isAccountFault = ACCOUNT_FAULTS.has(error.code) || status === 401;
    return {
      ...error,
      status: isAccountFault ? 401 : RATE_LIMITS.has(error.code) ? 429 : status >= 400 ? status : 400,
      isAccountFault,
    };
  },
  listing: null,
};
