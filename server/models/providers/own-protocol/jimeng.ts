// Jimeng at Volcengine's visual API. Videos are tasks (server/relay/tasks/video); requests are signed with the key.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Provider } from '#server/models/providers/provider.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { member, textIn } from '#server/models/providers/shared/json.ts';
import { signVolcengine } from '#server/models/providers/signing/volcengine.ts';

const ACCEPTED = 10_000;

export const jimeng: Provider = {
  type: CHANNEL_TYPE.jimeng,
  speaks: ['video'],
  url: (channel, { path }) => baseOf(channel, CHANNEL_TYPE.jimeng) + path,
  headers: () => ({}),
  authorize({ key }, request, tools) {
    const [accessKey = '', secretKey = ''] = key.split('|').map((part) => part.trim());
    return signVolcengine(
      request,
      { accessKey, secretKey, region: 'cn-north-1', service: 'cv' },
      tools.now(),
    );
  },
  refusalIn(body, status) {
    const error = member(body, 'ResponseMetadata', 'Error');
    const code = member(body, 'code');
    // The gateway before the API refuses keys with its own words.
    if (error !== undefined)
      return {
        message: textIn(error, 'Message'),
        type: '',
        code: textIn(error, 'Code'),
        status: status >= 400 ? status : 401,
        isAccountFault: /Signature|AccessKey|AccessDenied|Unauthorized/i.test(textIn(error, 'Code')),
      };
    if (typeof code !== 'number' || code === ACCEPTED) return undefined;
    // 50400: no right to the service; 50429 and 50430: too many at once; 504xx: the caller's text or picture.
    const isAccountFault = code === 50_400;
    const isBusy = code === 50_429 || code === 50_430;
    const usual = isAccountFault ? 403 : isBusy ? 429 : code >= 50_500 ? 502 : 400;
    return { message: textIn(body, 'message'), type: '', code: String(code), status: usual, isAccountFault };
  },
  listing: null,
};
