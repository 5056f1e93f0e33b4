// Any upstream by its full URL, in which `{model}` is replaced. A URL without a path is called like OpenAI.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { bearer } from '#server/models/providers/shared/base-url.ts';
import { bearerAndVersion, joinVersion, OPEN_AI_FORMATS, openAiStyle } from './style.ts';
import type { Format } from '#server/models/providers/provider.ts';

export const custom = openAiStyle({
  type: CHANNEL_TYPE.custom,
  speaksFor: (_model, { baseUrl }) => formatsOf(baseUrl) ?? OPEN_AI_FORMATS,
  headers: (channel) =>
    formatsOf(channel.baseUrl)?.includes('anthropic-messages') === true
      ? bearerAndVersion(channel)
      : bearer(channel),
  url(channel, call) {
    const base = channel.baseUrl.replaceAll('{model}', encodeURIComponent(call.model));
    return isBareOrigin(base) ? joinVersion(base, call.path) : base;
  },
});

function isBareOrigin(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.pathname === '/' || /^\/v1\/?$/.test(url.pathname));
}

const FORMATS_BY_ENDING: Readonly<Record<string, Format>> = {
  '/chat/completions': 'openai-chat',
  '/completions': 'openai-completions',
  '/responses': 'openai-responses',
  '/messages': 'anthropic-messages',
  '/embeddings': 'openai-embeddings',
  '/rerank': 'openai-rerank',
  '/moderations': 'openai-moderations',
};

/** A whole URL takes the one format its path names. */
function formatsOf(address: string): readonly Format[] | undefined {
  const path = URL.parse(address)?.pathname.replace(/\/+$/, '') ?? '';
  const ending = Object.keys(FORMATS_BY_ENDING).find((each) => path.endsWith(each));
  const format = ending === undefined ? undefined : FORMATS_BY_ENDING[ending];
  return format && [format];
}
