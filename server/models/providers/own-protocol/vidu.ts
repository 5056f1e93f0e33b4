// Vidu. Videos are tasks (server/relay/tasks/video); this file has the address and the key header.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';

export const vidu: Provider = {
  type: CHANNEL_TYPE.vidu,
  speaks: ['video'],
  url: (channel, { path }) => baseOf(channel, CHANNEL_TYPE.vidu).replace(/\/ent\/v2$/, '') + path,
  headers: ({ key }) => ({ Authorization: `Token ${key}` }),
  listing: null,
};
