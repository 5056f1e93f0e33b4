// Google's Gemini API: its own format, the model and the verb in the address.
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import type { ConversionNote } from '#server/formats/canonical.ts';
import { geminiTasks } from './gemini-tasks.ts';
import { listIn, member, textIn } from '#server/providers/shared/json.ts';
import type {
  Format,
  ModelListing,
  Provider,
  ProviderChannel,
  SupplierRefusal,
  UpstreamCall,
} from '#server/providers/provider.ts';

const baseUrl = 'https://generativelanguage.googleapis.com';

export const geminiFormats: readonly Format[] = [
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
  name: 'Gemini',
  baseUrl,
  speaks: geminiFormats,
  reportsStreamUsage: false,
  countsTokens: true,
  url: (channel, call) => `${versioned(channel)}/models/${encodeURIComponent(call.model)}:${verbOf(call)}`,
  headers: (channel) => ({ 'x-goog-api-key': channel.key }),
  adjust: nameModels,
  tasks: geminiTasks,
  refusalIn: googleRefusal,
  listing,
};

/** Google closed PaLM's own API; its address and its keys serve Gemini, and so does a channel of that type. */
export const palm: Provider = { ...gemini, type: CHANNEL_TYPE.palm, name: 'PaLM' };

/** A key that is not valid is refused like a request that is not. */
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

function versioned({ baseUrl: own, other }: ProviderChannel): string {
  const base = (own || baseUrl).replace(/\/+$/, '').replace(/\/v1(beta|alpha)?$/, '');
  return `${base}/${/^v\d\w*$/.test(other.trim()) ? other.trim() : 'v1beta'}`;
}

/** The verb of the caller's own address if it is one of this API, else the one the task needs. */
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

/** Requests of a batch repeat the model's name, and it must be the one in the address. */
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
