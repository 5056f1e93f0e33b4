// Coze: the channel names the bot, else the model's name is the bot id.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { coze as codec } from '#server/formats/coze/index.ts';
import type { Provider } from '#server/providers/provider.ts';
import { baseOf } from '#server/providers/shared/base-url.ts';

const baseUrl = 'https://api.coze.cn';

/** Token, permission or balance: 4100, 4101, 4027, 4028; rate limit: 4013, 4015. */
const accountFaults = new Set(['4100', '4101', '4027', '4028', '700012006']);
const rateLimits = new Set(['4013', '4015', '4009']);

export const coze: Provider = {
  type: CHANNEL_TYPE.coze,
  name: 'Coze',
  baseUrl,
  speaks: ['own'],
  reportsStreamUsage: false,
  alwaysStreams: true,
  url: (channel) => `${baseOf(channel, baseUrl)}/v3/chat`,
  headers: (channel) => ({ Authorization: `Bearer ${channel.key}` }),
  adjust: (body, { model }, channel) => ({ bot_id: channel.other.trim() || model, ...body }),
  ownCodec: codec,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined) return undefined;
    const isAccountFault = accountFaults.has(error.code) || status === 401;
    return {
      ...error,
      status: isAccountFault ? 401 : rateLimits.has(error.code) ? 429 : status >= 400 ? status : 400,
      isAccountFault,
    };
  },
  listing: null,
};
