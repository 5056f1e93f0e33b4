// MiniMax: OpenAI's chat at another path, errors inside a 200; embeddings, images and speech in its own format.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { embeddingAnswer, inputTexts } from '#server/models/providers/shared/embeddings.ts';
import {
  countIn,
  withoutUndefined,
  listIn,
  member,
  namesIn,
  textIn,
} from '#server/models/providers/shared/json.ts';
import { bearerAndVersion, openAiStyle } from './style.ts';
import { imageAnswer } from '#server/models/providers/shared/images.ts';
import type { Format, ProviderChannel, TaskConversion } from '#server/models/providers/provider.ts';

const embeddings: TaskConversion = {
  encodeRequest: (body, notes) => ({ model: body['model'], texts: inputTexts(body, notes), type: 'db' }),
  decodeResponse: (answer, request) =>
    embeddingAnswer(listIn(answer, 'vectors'), request, countIn(answer, 'total_tokens') || undefined),
};

const images: TaskConversion = {
  encodeRequest: (body) =>
    withoutUndefined({
      model: body['model'],
      prompt: body['prompt'],
      n: body['n'],
      response_format: body['response_format'] === 'b64_json' ? 'base64' : 'url',
    }),
  decodeResponse: (answer) =>
    imageAnswer([
      ...listIn(answer, 'data', 'image_urls').map((url) => ({ url: String(url) })),
      ...listIn(answer, 'data', 'image_base64').map((data) => ({ b64_json: String(data) })),
    ]),
};

const AUDIO_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
};

function audioFormat(asked: unknown): string {
  return typeof asked === 'string' && asked in AUDIO_TYPES ? asked : 'mp3';
}

const speech: TaskConversion = {
  encodeRequest: (body, notes) => {
    const format = audioFormat(body['response_format']);
    if (body['response_format'] !== undefined && body['response_format'] !== format) {
      notes.push({ field: 'response_format', what: 'approximated', detail: `the answer is ${format}` });
    }
    return {
      model: body['model'],
      text: body['input'],
      stream: false,
      voice_setting: withoutUndefined({ voice_id: body['voice'], speed: body['speed'] }),
      audio_setting: { format },
    };
  },
  decodeResponse: () => ({}),
  // The audio is hexadecimal text.
  decodeFile: (answer, request) => ({
    contentType: AUDIO_TYPES[audioFormat(request['response_format'])] ?? 'audio/mpeg',
    bytes: Buffer.from(textIn(answer, 'data', 'audio'), 'hex'),
  }),
};

const PATHS: Partial<Record<Format, string>> = {
  'openai-chat': '/v1/text/chatcompletion_v2',
  'anthropic-messages': '/anthropic/v1/messages',
  'openai-embeddings': '/v1/embeddings',
  'openai-images': '/v1/image_generation',
  'openai-speech': '/v1/t2a_v2',
};

function ownBase(channel: ProviderChannel): string {
  return baseOf(channel, CHANNEL_TYPE.miniMax).replace(/\/v1$/, '');
}

export const minimax = openAiStyle({
  type: CHANNEL_TYPE.miniMax,
  speaks: [
    'openai-chat',
    'anthropic-messages',
    'openai-embeddings',
    'openai-images',
    'openai-speech',
    'video',
  ],
  url: (channel, call) => ownBase(channel) + (PATHS[call.format] ?? call.path),
  headers: bearerAndVersion,
  tasks: { 'openai-embeddings': embeddings, 'openai-images': images, 'openai-speech': speech },
  refusalIn(body) {
    const code = member(body, 'base_resp', 'status_code');
    if (typeof code !== 'number' || code === 0) return undefined;
    const message = textIn(body, 'base_resp', 'status_msg');
    // 1004 and 2049: key; 1008: balance; 1002 and 1039: rate limit; 1026, 1027, 2013: the request.
    const isAccountFault = [1004, 2049, 1008].includes(code);
    const status =
      code === 1008
        ? 402
        : isAccountFault
          ? 401
          : [1002, 1039].includes(code)
            ? 429
            : code === 1001
              ? 504
              : 400;
    return { message, type: '', code: String(code), status, isAccountFault };
  },
  listing: {
    url: (channel) => `${ownBase(channel)}/v1/models`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
});
