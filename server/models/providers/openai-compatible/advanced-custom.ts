// Any upstream: `other` is JSON with a path for each format and the header of the key.
//   {"paths": {"openai-chat": "/llm/{model}/chat", "anthropic-messages": "/claude"}, "auth": "x-api-key: {key}"}
// `{verb}` is the verb of Google's format. Without paths it is called like OpenAI.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ANTHROPIC_VERSION, messagesPath } from '#server/models/providers/anthropic/anthropic.ts';
import { verbOf } from '#server/models/providers/google/gemini.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { isObject, textIn } from '#server/models/providers/shared/json.ts';
import { joinVersion, OPEN_AI_FORMATS, openAiStyle } from './style.ts';
import type { Format, ProviderChannel } from '#server/models/providers/provider.ts';

const configurableFormats: readonly Format[] = [
  // One path cannot name the many of files and batches.
  ...OPEN_AI_FORMATS.filter((format) => format !== 'openai-batches'),
  'anthropic-messages',
  'gemini-generate',
  'gemini-embeddings',
];

/** Paths only, no URLs: `other` is not secret, and must not send the key to another host. */
function isPath(path: unknown): path is string {
  return typeof path === 'string' && path.startsWith('/');
}

function pathsOf(channel: ProviderChannel): Readonly<Partial<Record<Format, string>>> {
  try {
    const value: unknown = JSON.parse(channel.other);
    const paths = isObject(value) && isObject(value['paths']) ? value['paths'] : {};
    return Object.fromEntries(
      configurableFormats.flatMap((format) => (isPath(paths[format]) ? [[format, paths[format]]] : [])),
    );
  } catch {
    return {};
  }
}

function authOf(channel: ProviderChannel): string {
  try {
    return textIn(JSON.parse(channel.other), 'auth');
  } catch {
    return '';
  }
}

export const advancedCustom = openAiStyle({
  type: CHANNEL_TYPE.advancedCustom,
  speaks: [...configurableFormats, 'openai-batches'],
  speaksFor(_model, channel) {
    const named = Object.keys(pathsOf(channel)) as Format[];
    return named.length === 0 ? OPEN_AI_FORMATS : named;
  },
  url(channel, call) {
    const { format, path, model } = call;
    const given = pathsOf(channel)[format];
    const own = given?.replaceAll('{model}', encodeURIComponent(model)).replaceAll('{verb}', verbOf(call));
    if (own === undefined)
      return joinVersion(channel.baseUrl, format === 'anthropic-messages' ? messagesPath(path) : path);
    return baseOf(channel, CHANNEL_TYPE.advancedCustom) + own;
  },
  headers(channel): Record<string, string> {
    const [name = '', ...rest] = (authOf(channel) || 'Authorization: Bearer {key}').split(':');
    const value = rest.join(':').trim().replaceAll('{key}', channel.key);
    return { [name.trim()]: value, 'anthropic-version': ANTHROPIC_VERSION };
  },
});
