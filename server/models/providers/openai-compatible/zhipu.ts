// Zhipu, API version 4. The older type sends the key as a signed token, the newer one as it is; both are accepted.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ANTHROPIC_VERSION } from '#server/models/providers/anthropic/anthropic.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { namesIn, textIn } from '#server/models/providers/shared/json.ts';
import { bearerAndVersion, openAiStyle } from './style.ts';
import type {
  Format,
  Provider,
  ProviderChannel,
  SupplierRefusal,
} from '#server/models/providers/provider.ts';
import { hmacToken } from '#server/models/providers/signing/jwt.ts';

const TOKEN_SECONDS = 3600;

const SPEAKS: readonly Format[] = [
  'openai-chat',
  'anthropic-messages',
  'openai-embeddings',
  'openai-images',
  'openai-speech',
  'openai-rerank',
];

/** 1000–1004, 1220: key; 1112, 1113: account locked or in debt; 1302–1305: rate limit. */
function refusalIn(body: Readonly<Record<string, unknown>>, status: number): SupplierRefusal | undefined {
  const code = textIn(body, 'error', 'code');
  const message = textIn(body, 'error', 'message');
  if (code === '') return undefined;
  const isKey = /^(100[0-4]|1220)$/.test(code);
  const isDebt = /^111[0-3]$/.test(code);
  const otherStatus = status >= 400 ? status : 400;
  return {
    message,
    type: '',
    code,
    status: isKey ? 401 : isDebt ? 402 : /^130[2-5]$/.test(code) ? 429 : otherStatus,
    isAccountFault: isKey || isDebt,
  };
}

function ownBase(channel: ProviderChannel): string {
  return baseOf(channel, CHANNEL_TYPE.zhipu).replace(/\/api\/paas\/v4$/, '');
}

const common = {
  speaks: SPEAKS,
  url: (channel, { format, path }) =>
    format === 'anthropic-messages'
      ? `${ownBase(channel)}/api/anthropic${path.startsWith('/v1/messages') ? path : '/v1/messages'}`
      : `${ownBase(channel)}/api/paas/v4${path.replace(/^\/v1/, '')}`,
  // The interval is open: 0 and 1 are refused.
  adjust(body) {
    const { top_p: topP } = body;
    return typeof topP === 'number' && topP >= 1 ? { ...body, top_p: 0.99 } : body;
  },
  refusalIn,
  listing: {
    url: (channel) => `${ownBase(channel)}/api/paas/v4/models`,
    names: (answer) => namesIn(answer, 'data', 'id'),
  },
} satisfies Partial<Provider>;

export const zhipuV4 = openAiStyle({
  ...common,
  type: CHANNEL_TYPE.zhipuV4,
  headers: bearerAndVersion,
});

export const zhipu = openAiStyle({
  ...common,
  type: CHANNEL_TYPE.zhipu,
  headers: () => ({ 'anthropic-version': ANTHROPIC_VERSION }),
  authorize(channel, _request, tools) {
    const [id = '', secret = ''] = channel.key.split('.');
    const now = tools.now().getTime();
    const claims = { api_key: id, exp: now + TOKEN_SECONDS * 1000, timestamp: now };
    return { Authorization: `Bearer ${hmacToken({ sign_type: 'SIGN' }, claims, secret)}` };
  },
});
