// Baidu's Wenxin workshop: two keys are exchanged for a token of one month, which is part of the URL.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { baidu as codec } from '#server/models/formats/baidu/index.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { embeddingAnswer, inputTexts } from '#server/models/providers/shared/embeddings.ts';
import { countIn, listIn, member, textIn } from '#server/models/providers/shared/json.ts';
import type {
  Provider,
  ProviderChannel,
  SigningTools,
  TaskConversion,
} from '#server/models/providers/provider.ts';
import { sha256Hex } from '#server/models/providers/signing/hashes.ts';

const MONTH_SECONDS = 2_592_000;

/** Models whose path is not their lower-case name. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'completions_pro',
  'ERNIE-4.0-8K': 'completions_pro',
  'ERNIE-Bot-4': 'completions_pro',
  'ERNIE-Bot': 'completions',
  'ERNIE-3.5-8K': 'completions',
  'ERNIE-Bot-turbo': 'eb-instant',
  'ERNIE-Lite-8K-0922': 'eb-instant',
  'ERNIE-Speed-8K': 'ernie_speed',
  'ERNIE-Speed': 'ernie_speed',
  'BLOOMZ-7B': 'bloomz_7b1',
  'Embedding-V1': 'embedding-v1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
};

const embeddings: TaskConversion = {
  encodeRequest: (body, notes) => ({ input: inputTexts(body, notes) }),
  decodeResponse: (answer, request) =>
    embeddingAnswer(
      listIn(answer, 'data').map((entry) => member(entry, 'embedding')),
      request,
      countIn(answer, 'usage', 'total_tokens') || undefined,
    ),
};

export const baidu: Provider = {
  type: CHANNEL_TYPE.baidu,
  speaks: ['own', 'openai-embeddings'],
  url(channel, { model, format }) {
    const place = ENDPOINTS[model] ?? encodeURIComponent(model.toLowerCase());
    const task = format === 'openai-embeddings' ? 'embeddings' : 'chat';
    return `${ownBase(channel)}/rpc/2.0/ai_custom/v1/wenxinworkshop/${task}/${place}`;
  },
  headers: () => ({}),
  async signedUrl(channel, url, tools) {
    const signed = new URL(url);
    signed.searchParams.set('access_token', await accessToken(channel, tools));
    return signed;
  },
  ownCodec: codec,
  tasks: { 'openai-embeddings': embeddings },
  refusalIn(body) {
    const error = codec.decodeError(body);
    if (error === undefined) return undefined;
    const code = Number(error.code);
    // 6, 13–15, 100, 110, 111: keys and permissions; 17 and 19: daily or total allowance used up; 18, 336501 and 336502: rate
    // limit.
    const isAccountFault = [6, 13, 14, 15, 17, 19, 100, 110, 111].includes(code);
    const isHurried = [18, 336501, 336502].includes(code);
    const isRequest = code >= 336000 && code < 336200;
    const status = isAccountFault ? 401 : isHurried ? 429 : isRequest ? 400 : 502;
    return { ...error, status, isAccountFault };
  },
  listing: null,
};

function ownBase(channel: ProviderChannel): string {
  return baseOf(channel, CHANNEL_TYPE.baidu);
}

function accessToken(channel: ProviderChannel, tools: SigningTools): Promise<string> {
  const [id = '', secret = ''] = channel.key.split('|').map((part) => part.trim());
  return tools.cached(`baidu ${sha256Hex(channel.key)}`, async () => {
    const query = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    const answer = await tools.fetchJson(`${ownBase(channel)}/oauth/2.0/token?${query.toString()}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '',
    });
    const value = textIn(answer, 'access_token');
    if (value === '') throw new Error(textIn(answer, 'error_description') || 'no access token in the answer');
    const seconds = countIn(answer, 'expires_in') || MONTH_SECONDS;
    return { value, expiresAt: new Date(tools.now().getTime() + seconds * 1000) };
  });
}
