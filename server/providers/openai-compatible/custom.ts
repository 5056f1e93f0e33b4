// Any upstream by its full address: the base URL is the whole URL, `{model}` in it stands for the model's name. An
// address without a path is a server that copies OpenAI's layout.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { joinVersion, openAiStyle } from './style.ts';

export const custom = openAiStyle({
  type: CHANNEL_TYPE.custom,
  name: 'Custom',
  baseUrl: '',
  url(channel, call) {
    const base = channel.baseUrl.replaceAll('{model}', encodeURIComponent(call.model));
    return isBareOrigin(base) ? joinVersion(base, call.path) : base;
  },
});

function isBareOrigin(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (url.pathname === '/' || /^\/v1\/?$/.test(url.pathname));
}
