// Upstreams with OpenAI's API at their own address. The differences are data: formats, another path, a refused field.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ANTHROPIC_VERSION, messagesPath } from '#server/models/providers/anthropic/anthropic.ts';
import { channelTypes } from '#server/models/providers/facts/channel-types.ts';
import { verbOf } from '#server/models/providers/google/gemini.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import { namesIn } from '#server/models/providers/shared/json.ts';
import { mistralBody } from './mistral.ts';
import { bearerAndVersion, joinVersion, OPEN_AI_FORMATS, openAiStyle } from './style.ts';
import { siliconflowImages } from './siliconflow.ts';
import type { Format, Provider, ProviderChannel, UpstreamCall } from '#server/models/providers/provider.ts';

const CHAT: readonly Format[] = ['openai-chat', 'openai-completions'];
const WITH_EMBEDDINGS: readonly Format[] = [...CHAT, 'openai-embeddings'];
const WITH_RERANK: readonly Format[] = [...WITH_EMBEDDINGS, 'openai-rerank', 'openai-images'];
/** Gateways like this one accept every format at its usual path. */
const EVERYTHING: readonly Format[] = [
  ...OPEN_AI_FORMATS,
  'anthropic-messages',
  'anthropic-batches',
  'gemini-generate',
  'gemini-embeddings',
  'video',
];

type Copy = Partial<
  Pick<
    Provider,
    'speaks' | 'url' | 'adjust' | 'reportsStreamUsage' | 'runsMore' | 'listing' | 'tasks' | 'headers'
  >
>;

/** The path of the call with another version. */
function below(type: number, version: string) {
  return (channel: ProviderChannel, { path }: UpstreamCall): string =>
    `${baseOf(channel, type).replace(new RegExp(`${version}$`), '')}${version}${path.replace(/^\/v1(?=\/)/, '')}`;
}

/** Anthropic's format at a path of its own beside OpenAI's. */
function withAnthropic(type: number, prefix: string) {
  return (channel: ProviderChannel, { format, path }: UpstreamCall): string => {
    const origin = baseOf(channel, type);
    if (format !== 'anthropic-messages') return joinVersion(origin, path);
    return origin.replace(/\/v1$/, '') + prefix + messagesPath(path);
  };
}

function volcengine(channel: ProviderChannel, call: UpstreamCall): string {
  // Bots are named like models and have another path.
  const version = call.model.startsWith('bot-') ? '/api/v3/bots' : '/api/v3';
  return below(CHANNEL_TYPE.volcEngine, version)(
    { ...channel, baseUrl: channel.baseUrl.replace(/\/api\/v3\/?$/, '') },
    call,
  );
}

const tags = {
  url: (channel: ProviderChannel) => `${baseOf(channel, CHANNEL_TYPE.ollama).replace(/\/v1$/, '')}/api/tags`,
  names: (answer: unknown) => namesIn(answer, 'models', 'name'),
};

const listed = (type: number, path: string) => ({
  url: (channel: ProviderChannel) => baseOf(channel, type) + path,
  names: (answer: unknown) => namesIn(answer, 'data', 'id'),
});

/** By type; an empty entry has everything OpenAI has. */
const copies: Readonly<Record<number, Copy>> = {
  [CHANNEL_TYPE.ollama]: { speaks: WITH_EMBEDDINGS, listing: tags },
  [CHANNEL_TYPE.openAiMax]: {},
  [CHANNEL_TYPE.ohMyGpt]: {},
  [CHANNEL_TYPE.ails]: {},
  [CHANNEL_TYPE.aiProxy]: {},
  [CHANNEL_TYPE.api2Gpt]: {},
  [CHANNEL_TYPE.aigc2d]: {},
  [CHANNEL_TYPE.ai360]: { speaks: WITH_EMBEDDINGS },
  [CHANNEL_TYPE.openRouter]: {
    speaks: [...WITH_EMBEDDINGS, 'openai-responses', 'anthropic-messages'],
    url: withAnthropic(CHANNEL_TYPE.openRouter, ''),
  },
  [CHANNEL_TYPE.fastGpt]: {
    speaks: ['openai-chat'],
    reportsStreamUsage: false,
    runsMore: true,
    listing: null,
  },
  [CHANNEL_TYPE.moonshot]: {
    speaks: [...CHAT, 'anthropic-messages'],
    url: withAnthropic(CHANNEL_TYPE.moonshot, '/anthropic'),
  },
  [CHANNEL_TYPE.perplexity]: {
    speaks: ['openai-chat'],
    url: below(CHANNEL_TYPE.perplexity, ''),
    adjust: openInterval,
    runsMore: true,
    listing: null,
  },
  [CHANNEL_TYPE.lingyi]: { speaks: CHAT },
  [CHANNEL_TYPE.jina]: { speaks: ['openai-embeddings', 'openai-rerank'] },
  [CHANNEL_TYPE.siliconFlow]: {
    speaks: [
      ...WITH_RERANK,
      'anthropic-messages',
      'openai-speech',
      'openai-transcriptions',
      'openai-batches',
    ],
    url: withAnthropic(CHANNEL_TYPE.siliconFlow, ''),
    tasks: { 'openai-images': siliconflowImages },
  },
  // Reports usage in every stream and refuses `stream_options`.
  [CHANNEL_TYPE.mistral]: {
    speaks: [...WITH_EMBEDDINGS, 'openai-moderations', 'openai-transcriptions'],
    reportsStreamUsage: false,
    adjust: mistralBody,
  },
  [CHANNEL_TYPE.deepSeek]: { speaks: [...CHAT, 'anthropic-messages'], url: deepseek },
  [CHANNEL_TYPE.mokaAi]: { speaks: ['openai-embeddings'], listing: null },
  [CHANNEL_TYPE.volcEngine]: {
    speaks: [...CHAT, 'openai-embeddings', 'openai-images', 'openai-responses', 'video'],
    url: volcengine,
    listing: listed(CHANNEL_TYPE.volcEngine, '/api/v3/models'),
  },
  [CHANNEL_TYPE.baiduV2]: {
    speaks: [...CHAT, 'openai-embeddings', 'openai-rerank', 'openai-images'],
    url: below(CHANNEL_TYPE.baiduV2, '/v2'),
    headers: baiduHeaders,
    listing: listed(CHANNEL_TYPE.baiduV2, '/v2/models'),
  },
  [CHANNEL_TYPE.xinference]: { speaks: [...WITH_RERANK, 'openai-speech', 'openai-transcriptions'] },
  [CHANNEL_TYPE.xai]: {
    speaks: [...CHAT, 'openai-images', 'openai-responses', 'anthropic-messages'],
    url: withAnthropic(CHANNEL_TYPE.xai, ''),
  },
  [CHANNEL_TYPE.submodel]: { speaks: CHAT },
  [CHANNEL_TYPE.sub2Api]: { speaks: EVERYTHING, headers: gatewayHeaders, url: gateway },
  [CHANNEL_TYPE.newApi]: { speaks: EVERYTHING, headers: gatewayHeaders, url: gateway },
};

/** Text completion is in the beta API; Anthropic's format has its own path. */
function deepseek(channel: ProviderChannel, call: UpstreamCall): string {
  if (call.format !== 'openai-completions')
    return withAnthropic(CHANNEL_TYPE.deepSeek, '/anthropic')(channel, call);
  return `${baseOf(channel, CHANNEL_TYPE.deepSeek).replace(/\/v1$/, '')}/beta/completions`;
}

/** Google's format has the model in the URL; the channel may have mapped it to another name. */
function gateway(channel: ProviderChannel, call: UpstreamCall): string {
  if (!call.format.startsWith('gemini')) return withAnthropic(CHANNEL_TYPE.newApi, '')(channel, call);
  const base = baseOf(channel, CHANNEL_TYPE.newApi).replace(/\/v1(beta)?$/, '');
  return `${base}/v1beta/models/${encodeURIComponent(call.model)}:${verbOf(call)}`;
}

/** `key|appid`: the second part is the billed application. */
function baiduHeaders(channel: ProviderChannel): Record<string, string> {
  const [key = '', application = ''] = channel.key.split('|').map((part) => part.trim());
  return { Authorization: `Bearer ${key}`, ...(application === '' ? {} : { appid: application }) };
}

/** All three key headers: some gateways choose the header by the path. */
function gatewayHeaders(channel: ProviderChannel): Record<string, string> {
  return {
    ...bearer(channel),
    'x-api-key': channel.key,
    'x-goog-api-key': channel.key,
    'anthropic-version': ANTHROPIC_VERSION,
  };
}

/** The upstream refuses 1. */
function openInterval(body: Record<string, unknown>): Record<string, unknown> {
  const { top_p: topP } = body;
  return typeof topP === 'number' && topP >= 1 ? { ...body, top_p: 0.99 } : body;
}

export const openAiCopies: readonly Provider[] = channelTypes
  .filter(({ type }) => type in copies)
  .map(({ type }) => {
    const copy = copies[type] ?? {};
    const speaksAnthropic =
      copy.speaks?.includes('anthropic-messages') === true && copy.headers === undefined;
    return openAiStyle({ type, ...(speaksAnthropic ? { headers: bearerAndVersion } : {}), ...copy });
  });
