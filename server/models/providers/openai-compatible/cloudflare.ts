// Cloudflare's Workers AI: OpenAI's layout below the account that the channel names.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { member, namesIn, textIn } from '#server/models/providers/shared/json.ts';
import { openAiStyle } from './style.ts';
import { imageAnswer } from '#server/models/providers/shared/images.ts';
import type { ProviderChannel, TaskConversion } from '#server/models/providers/provider.ts';

const images: TaskConversion = {
  encodeRequest: (body) => ({ prompt: body['prompt'] }),
  decodeResponse: (answer) => imageAnswer([{ b64_json: textIn(answer, 'result', 'image') }]),
};

function accountOf(channel: ProviderChannel): string {
  const base = baseOf(channel, CHANNEL_TYPE.cloudflare);
  return `${base}/client/v4/accounts/${encodeURIComponent(channel.other.trim())}/ai`;
}

export const cloudflare = openAiStyle({
  type: CHANNEL_TYPE.cloudflare,
  speaks: ['openai-chat', 'openai-completions', 'openai-embeddings', 'openai-images', 'openai-responses'],
  url: (channel, { format, path, model }) =>
    format === 'openai-images' ? `${accountOf(channel)}/run/${model}` : accountOf(channel) + path,
  tasks: { 'openai-images': images },
  refusalIn(body, status) {
    // Platform errors are a list with numbers.
    const error = member(body, 'errors', 0);
    if (status < 400 || error === undefined) return undefined;
    const number = member(error, 'code');
    const code = typeof number === 'number' ? String(number) : '';
    // 10000 and 9109: the token; 3036: the daily allowance is used up.
    return {
      message: textIn(error, 'message'),
      type: '',
      code,
      status,
      isAccountFault: /^(10000|9109|3036)$/.test(code),
    };
  },
  listing: {
    url: (channel) => `${accountOf(channel)}/models/search?per_page=1000`,
    names: (answer) => namesIn(answer, 'result', 'name'),
  },
});
