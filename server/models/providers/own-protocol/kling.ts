// Kling. Videos are tasks (server/relay/tasks/video); this file has the address, the token made from the key, and errors in a 200.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { member, textIn } from '#server/models/providers/shared/json.ts';
import { hmacToken } from '#server/models/providers/signing/jwt.ts';

const TOKEN_SECONDS = 1800;
/** Clocks differ. */
const MARGIN_SECONDS = 5;

export const kling: Provider = {
  type: CHANNEL_TYPE.kling,
  speaks: ['video'],
  url: (channel, { path }) => baseOf(channel, CHANNEL_TYPE.kling) + path,
  headers: () => ({}),
  authorize({ key }, _request, tools): Record<string, string> {
    const [accessKey = '', secretKey] = key.split('|').map((part) => part.trim());
    // Resellers give one key, which is sent as it is.
    if (secretKey === undefined) return { Authorization: `Bearer ${accessKey}` };
    const now = Math.floor(tools.now().getTime() / 1000);
    const claims = { iss: accessKey, exp: now + TOKEN_SECONDS, nbf: now - MARGIN_SECONDS };
    return { Authorization: `Bearer ${hmacToken({ typ: 'JWT' }, claims, secretKey)}` };
  },
  refusalIn(body, status) {
    const code = member(body, 'code');
    if (typeof code !== 'number' || code === 0) return undefined;
    // 1000 to 1004: the token; 1101 and 1102: the account's debt or empty pack; 1302 and 1303: too many at once.
    const isAccountFault = (code >= 1000 && code <= 1004) || [1101, 1102].includes(code);
    const isBusy = [1100, 1302, 1303].includes(code);
    const usual = isAccountFault ? (code > 1100 ? 402 : 401) : isBusy ? 429 : code >= 5000 ? 502 : 400;
    return {
      message: textIn(body, 'message'),
      type: '',
      code: String(code),
      status: status >= 400 && !isAccountFault ? status : usual,
      isAccountFault,
    };
  },
  listing: null,
};
