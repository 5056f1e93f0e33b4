// Runway. Videos are tasks (server/relay/tasks/video); this file has the address, the key header and the version of the API.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import { textIn } from '#server/models/providers/shared/json.ts';

export const runway: Provider = {
  type: CHANNEL_TYPE.runway,
  speaks: ['video'],
  url: (channel, { path }) => baseOf(channel, CHANNEL_TYPE.runway).replace(/\/v1$/, '') + path,
  headers: (channel) => ({ ...bearer(channel), 'X-Runway-Version': '2024-11-06' }),
  refusalIn(body, status) {
    const message = textIn(body, 'error');
    if (status < 400 || message === '') return undefined;
    return { message, type: '', code: '', status, isAccountFault: status === 401 || status === 402 };
  },
  listing: null,
};
