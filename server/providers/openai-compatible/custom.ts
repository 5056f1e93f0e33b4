// Any upstream by its full URL, in which `{model}` is replaced. A URL without a path is called like OpenAI.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { joinVersion, openAiStyle } from './style.ts';

export const custom = openAiStyle({
  type: CHANNEL_TYPE.custom,
  url(channel, call) {
    const base = channel.baseUrl.replaceAll('{model}', encodeURIComponent(call.model));
    return isBareOrigin(base) ? joinVersion(base, call.path) : base;
  },
});

function isBareOrigin(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.pathname === '/' || /^\/v1\/?$/.test(url.pathname));
}
