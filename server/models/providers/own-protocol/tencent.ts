// Tencent's Hunyuan: all requests go to one URL; a header names the action; requests are signed.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { tencent as codec } from '#server/models/formats/tencent/index.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { embeddingAnswer, inputTexts } from '#server/models/providers/shared/embeddings.ts';
import { countIn, listIn, member } from '#server/models/providers/shared/json.ts';
import type {
  Provider,
  ProviderChannel,
  SupplierRefusal,
  TaskConversion,
} from '#server/models/providers/provider.ts';
import { signTencent } from '#server/models/providers/signing/tencent.ts';

const VERSION = '2023-09-01';

const embeddings: TaskConversion = {
  encodeRequest: (body, notes) => ({ InputList: inputTexts(body, notes) }),
  decodeResponse: (answer, request) =>
    embeddingAnswer(
      listIn(answer, 'Response', 'Data').map((entry) => member(entry, 'Embedding')),
      request,
      countIn(answer, 'Response', 'Usage', 'PromptTokens'),
    ),
};

export const tencent: Provider = {
  type: CHANNEL_TYPE.tencent,
  speaks: ['own', 'openai-embeddings'],
  url: (channel) => `${baseOf(channel, CHANNEL_TYPE.tencent)}/`,
  headers: () => ({ 'X-TC-Version': VERSION }),
  authorize(channel, request, tools) {
    // The body decides the action.
    const isEmbedding = typeof request.body === 'string' && request.body.startsWith('{"InputList"');
    return {
      'X-TC-Action': isEmbedding ? 'GetEmbedding' : 'ChatCompletions',
      ...signTencent(request, credentialsOf(channel), 'hunyuan', tools.now()),
    };
  },
  ownCodec: codec,
  tasks: { 'openai-embeddings': embeddings },
  refusalIn(body) {
    const error = codec.decodeError(body);
    return error === undefined ? undefined : { ...error, ...verdictOf(error.code) };
  },
  listing: null,
};

/** Tencent sends errors with status 200 and a code. */
function verdictOf(code: string): Pick<SupplierRefusal, 'status' | 'isAccountFault'> {
  if (/^AuthFailure|UnauthorizedOperation/.test(code)) return { status: 401, isAccountFault: true };
  if (
    /ResourceInsufficient|ResourceUnavailable|ServiceNotActivated|InsufficientBalance|StopServing/.test(code)
  )
    return { status: 402, isAccountFault: true };
  if (/LimitExceeded|RequestLimit/.test(code)) return { status: 429, isAccountFault: false };
  if (/^InvalidParameter|MissingParameter|UnknownParameter/.test(code))
    return { status: 400, isAccountFault: false };
  return { status: 502, isAccountFault: false };
}

/** `AppId|SecretId|SecretKey`; the AppId belongs to an older signature and is optional. */
function credentialsOf({ key }: ProviderChannel): { secretId: string; secretKey: string } {
  const parts = key.split('|').map((part) => part.trim());
  return { secretId: parts.at(-2) ?? '', secretKey: parts.at(-1) ?? '' };
}
