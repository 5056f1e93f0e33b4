// Suno behind a proxy. Songs are tasks (server/relay/tasks/music); this file has the address and the key header.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Provider } from '#server/models/providers/provider.ts';

export const suno: Provider = {
  type: CHANNEL_TYPE.suno,
  speaks: ['suno'],
  url: ({ baseUrl }, { path }) => baseUrl.replace(/\/+$/, '').replace(/\/suno$/, '') + path,
  headers: ({ key }): Record<string, string> => (key === '' ? {} : { Authorization: `Bearer ${key}` }),
  listing: null,
};
