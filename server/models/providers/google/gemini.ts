// Google's Gemini API: its own format, with model and verb in the URL.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { baseOf } from '#server/models/providers/shared/base-url.ts';
import { geminiTasks } from './gemini-tasks.ts';
import { listIn, member, textIn } from '#server/models/providers/shared/json.ts';
import type {
  Format,
  ModelListing,
  Provider,
  ProviderChannel,
  SupplierRefusal,
  UpstreamCall,
} from '#server/models/providers/provider.ts';

export const GEMINI_FORMATS: readonly Format[] = [
  'gemini-generate',
  'gemini-embeddings',
  'openai-embeddings',
  'openai-images',
  'openai-speech',
];

const listing: ModelListing = {
  url: (channel) => `${versioned(channel)}/models?pageSize=1000`,
  names: (answer) =>
    member(answer, 'models') === undefined
      ? undefined
      : listIn(answer, 'models').map((model) => String(member(model, 'name')).replace(/^models\//, '')),
};

export const gemini: Provider = {
  type: CHANNEL_TYPE.gemini,
  speaks: [...GEMINI_FORMATS, 'video'],
  countsTokens: true,
  url(channel, call) {
    const base = versioned(channel);
    const model = `${base}/models/${encodeURIComponent(call.model)}`;
    if (call.format !== 'video') return `${model}:${verbOf(call)}`;
    return call.path.startsWith(':') ? model + call.path : base + call.path;
  },
  headers: (channel) => ({ 'x-goog-api-key': channel.key }),
  adjust: nameModels,
  tasks: geminiTasks,
  refusalIn: googleRefusal,
  listing,
};

/** PaLM's API was closed; its address and keys work for Gemini. */
export const palm: Provider = { ...gemini, type: CHANNEL_TYPE.palm };

/** Google refuses an invalid key with 400, like an invalid request. */
export function googleRefusal(
  body: Readonly<Record<string, unknown>>,
  status: number,
): SupplierRefusal | undefined {
  const error = member(body, 'error');
  if (status < 400 || error === undefined) return undefined;
  const message = textIn(error, 'message');
  const code = textIn(error, 'status');
  const reasons = listIn(error, 'details').map((detail) => textIn(detail, 'reason'));
  const isKey = reasons.includes('API_KEY_INVALID') || /API key (not valid|expired)/i.test(message);
  const isRight = code === 'PERMISSION_DENIED' || code === 'UNAUTHENTICATED';
  return { message, type: code, code, status: isKey ? 401 : status, isAccountFault: isKey || isRight };
}

function versioned(channel: ProviderChannel): string {
  const { other } = channel;
  const base = baseOf(channel, CHANNEL_TYPE.gemini).replace(/\/v1(beta|alpha)?$/, '');
  return `${base}/${/^v\d\w*$/.test(other.trim()) ? other.trim() : 'v1beta'}`;
}

/** The verb of the caller's path if the caller uses Google's format, else the verb of the task. */
export function verbOf({ format, path, model, isStream }: UpstreamCall): string {
  const asked = /:(\w+)$/.exec(path)?.[1];
  switch (format) {
    case 'gemini-generate':
      if (asked === 'countTokens') return asked;
      return isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    case 'gemini-embeddings':
      return asked ?? 'embedContent';
    case 'openai-embeddings':
      return 'batchEmbedContents';
    case 'openai-images':
      return model.startsWith('imagen') ? 'predict' : 'generateContent';
    default:
      return isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  }
}

/** Each request of a batch repeats the model, which must equal the one in the URL. */
function nameModels(
  body: Record<string, unknown>,
  { format, model }: UpstreamCall,
  _channel: ProviderChannel,
  _notes: ConversionNote[],
): Record<string, unknown> {
  if (format !== 'gemini-embeddings' && format !== 'openai-embeddings') return body;
  const requests = body['requests'];
  if (!Array.isArray(requests)) return 'model' in body ? { ...body, model: `models/${model}` } : body;
  return {
    ...body,
    requests: requests.map((request: object) => ({ ...request, model: `models/${model}` })),
  };
}
