// iFlytek's Spark: a WebSocket with the signature in its URL and the model's version in its path.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { spark as codec } from '#server/models/formats/spark/index.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { member, type Json } from '#server/models/providers/shared/json.ts';
import type { Provider, ProviderChannel } from '#server/models/providers/provider.ts';
import { hmacSha256 } from '#server/models/providers/signing/hashes.ts';

const BASE_URL = 'https://spark-api.xf-yun.com';

/** The `domain` parameter of each version. */
const DOMAINS: Readonly<Record<string, string>> = {
  'v1.1': 'lite',
  'v2.1': 'generalv2',
  'v3.1': 'generalv3',
  'v3.5': 'generalv3.5',
  'v4.0': '4.0Ultra',
};

export const spark: Provider = {
  type: CHANNEL_TYPE.spark,
  speaks: ['own'],
  alwaysStreams: true,
  framing: () => 'websocket',
  url: (channel, { model }) =>
    `${baseOf({ baseUrl: channel.baseUrl || BASE_URL }, CHANNEL_TYPE.spark).replace(/^ws/, 'http')}/${versionOf(channel, model)}/chat`,
  headers: () => ({}),
  signedUrl(channel, url, tools) {
    const { apiKey, apiSecret } = credentialsOf(channel);
    const date = tools.now().toUTCString();
    const toSign = `host: ${url.host}\ndate: ${date}\nGET ${url.pathname} HTTP/1.1`;
    const signature = hmacSha256(apiSecret, toSign).toString('base64');
    const claim = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
    const signed = new URL(url);
    signed.searchParams.set('host', url.host);
    signed.searchParams.set('date', date);
    signed.searchParams.set('authorization', Buffer.from(claim).toString('base64'));
    return signed;
  },
  adjust(body, { model }, channel) {
    const version = versionOf(channel, model);
    const chat = {
      ...(member(body, 'parameter', 'chat') as Json | undefined),
      domain: DOMAINS[version] ?? version,
    };
    const header = { ...(body['header'] as Json | undefined), app_id: credentialsOf(channel).appId };
    return { ...body, header, parameter: { ...(body['parameter'] as Json | undefined), chat } };
  },
  ownCodec: codec,
  refusalIn(body, status) {
    const error = codec.decodeError(body);
    if (error === undefined) return undefined;
    // 11200: no permission or allowance; 10313: the application does not match the key.
    const isAccountFault = /^(11200|10313|10005)$/.test(error.code) || status === 401 || status === 403;
    return { ...error, status: isAccountFault ? 401 : status >= 400 ? status : 502, isAccountFault };
  },
  listing: null,
};

/** From the model's name (`SparkDesk-v3.5`), else the channel's field, else the oldest version in service. */
export function versionOf({ other }: ProviderChannel, model: string): string {
  return /v\d\.\d/.exec(model)?.[0] ?? /v\d\.\d/.exec(other)?.[0] ?? 'v2.1';
}

function credentialsOf({ key }: ProviderChannel): { appId: string; apiSecret: string; apiKey: string } {
  const [appId = '', apiSecret = '', apiKey = ''] = key.split('|').map((part) => part.trim());
  return { appId, apiSecret, apiKey };
}
