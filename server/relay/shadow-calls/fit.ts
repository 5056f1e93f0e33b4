// Which calls may be copied to another model, and what of them the copy has.
import { leavesNothing } from '#server/relay/request/repeatable.ts';
import { compactEndpoint, type Fields } from '#server/relay/request/endpoints.ts';
import { traitsOf } from '#server/relay/request/traits.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';

/** By this header a caller says that nothing of the call may be kept. */
export const NO_STORE_HEADER = 'x-tollgate-no-store';

const FORMATS: ReadonlySet<string> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
]);

/** Objects of the upstream's account that a request can name beside those of `leavesNothing`. */
const NAMED_OBJECTS = ['prompt', 'cachedContent', 'cached_content'];

/** What says who calls, or buys a dearer class of service: no business of the target. `store` is set anew. */
const LEFT_OUT = [
  'user',
  'metadata',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
  'serviceTier',
  'store',
];

/** Looked at before the answer: cheap, because most calls are plain. */
export function mayBeCopied(
  { channelId, tokenId }: Pick<Caller, 'channelId' | 'tokenId'>,
  { endpoint, fields, affinity, conversation, estimate }: PreparedCall,
  headers: Pick<Headers, 'get'>,
): boolean {
  const { format } = endpoint;
  if (!FORMATS.has(format) || endpoint === compactEndpoint) return false;
  // The playground, and an administrator who tries one channel.
  if (tokenId === 0 || channelId !== undefined) return false;
  if (affinity !== undefined || conversation !== undefined || estimate.choices !== 1) return false;
  if (saysNoStore(fields, headers) || NAMED_OBJECTS.some((name) => name in fields)) return false;
  return leavesNothing(format, fields) && !wantsMedia(fields);
}

function saysNoStore(fields: Fields, headers: Pick<Headers, 'get'>): boolean {
  if (fields['store'] === false || /\bno-store\b/i.test(headers.get('cache-control') ?? '')) return true;
  const said = headers.get(NO_STORE_HEADER);
  return said !== null && !/^(?:0|false|no|off)$/i.test(said.trim());
}

const isText = (kind: unknown): boolean => typeof kind === 'string' && kind.toLowerCase() === 'text';

/** An answer of pictures or sound. */
function wantsMedia({ modalities, audio, generationConfig }: Fields): boolean {
  if (audio !== undefined && audio !== null) return true;
  const config = generationConfig as Fields | undefined | null;
  return [modalities, config?.['responseModalities']].some(
    (kinds) => Array.isArray(kinds) && !kinds.every(isText),
  );
}

/** A prompt of text alone: the addresses of pictures and files are not fetched twice. Reads the whole request. */
export function isPlainText(fields: Fields): boolean {
  const { pictures, files } = traitsOf(fields);
  return !pictures && !files;
}

/** The request for the target model; what the caller asked for beside the model stays. */
export function copiedFields({ endpoint, fields }: PreparedCall, targetModel: string): Fields {
  const copied = Object.fromEntries(Object.entries(fields).filter(([name]) => !LEFT_OUT.includes(name)));
  if (!endpoint.modelInPath) copied['model'] = targetModel;
  if (endpoint.format === 'openai-responses') copied['store'] = false;
  return copied;
}
