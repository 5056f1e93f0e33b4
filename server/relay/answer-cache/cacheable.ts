// Which calls may be answered with a cached answer, and which answers may be kept: calls that leave nothing at the upstream and continue nothing,
// and answers that are whole and were ended by the model, not by a filter.
import type { Usage } from '#server/money/prices/usage.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { WEB_SEARCH } from '#server/money/prices/tiers.ts';
import type { Fields } from '#server/relay/request/endpoints.ts';
import { compactEndpoint } from '#server/relay/request/endpoints.ts';
import { isRepeatable } from '#server/relay/request/repeatable.ts';
import { SESSION_HEADERS } from '#server/relay/request/traits.ts';
import { TAGS_HEADER } from '#server/relay/request/tags.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';

const EMBEDDINGS: ReadonlySet<Format> = new Set<Format>(['openai-embeddings', 'gemini-embeddings']);

/** Members by which upstreams search or run plugins themselves. */
const SEARCHING = ['search_parameters', 'enable_search', 'web_search', 'plugins', 'search_options', 'search'];

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** As far as the request says it. */
export function isCacheable({ endpoint, fields, affinity, conversation, json }: PreparedCall): boolean {
  if (json === undefined || affinity !== undefined || endpoint === compactEndpoint) return false;
  if (EMBEDDINGS.has(endpoint.format)) return true;
  if (SEARCHING.some((name) => isGiven(fields[name]))) return false;
  // Whole answers as streams.
  return isRepeatable({ endpoint, isStream: true, fields, affinity, conversation });
}

/** Members that say for whom or in which session a call is made. */
const PERSONAL = [
  'user',
  'user_id',
  'safety_identifier',
  'prompt_cache_key',
  'session_id',
  'conversation_id',
  'thread_id',
  'labels',
];

/** Such a call shares no answer with another account. */
export function isPersonal(headers: Pick<Headers, 'get'>, fields: Fields): boolean {
  if ([TAGS_HEADER, ...SESSION_HEADERS].some((name) => (headers.get(name) ?? '') !== '')) return true;
  const { metadata } = fields;
  const hasMetadata =
    typeof metadata === 'object' && metadata !== null ? Object.keys(metadata).length > 0 : isGiven(metadata);
  return hasMetadata || PERSONAL.some((name) => isGiven(fields[name]));
}

/** Inside a text the quotes are escaped, so these find members only. */
const FINISHES: Partial<Record<Format, { readonly member: RegExp; readonly good: ReadonlySet<string> }>> = {
  'openai-chat': {
    member: /"finish_reason"\s*:\s*"([^"]*)"/g,
    good: new Set(['stop', 'length', 'tool_calls', 'function_call']),
  },
  'openai-completions': { member: /"finish_reason"\s*:\s*"([^"]*)"/g, good: new Set(['stop', 'length']) },
  'anthropic-messages': {
    member: /"stop_reason"\s*:\s*"([^"]*)"/g,
    good: new Set(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use']),
  },
  'gemini-generate': { member: /"finishReason"\s*:\s*"([^"]*)"/g, good: new Set(['STOP', 'MAX_TOKENS']) },
};

/** Refusals, filters, hidden thoughts, and reasoning that only the upstream which wrote it can read. */
const UNWANTED =
  /"refusal"\s*:\s*"|"type"\s*:\s*"(?:refusal|redacted_thinking)"|"filtered"\s*:\s*true|"blockReason"\s*:|"encrypted_content"\s*:\s*"|"error"\s*:\s*\{/;

const CLOSED_RESPONSE = /"type"\s*:\s*"response\.completed"/;

/** Whether the model ended the answer itself. `text`: all of it, in the caller's format. */
export function isOrdinaryEnd(format: Format, isStream: boolean, text: string): boolean {
  if (UNWANTED.test(text)) return false;
  if (EMBEDDINGS.has(format)) return true;
  if (format === 'openai-responses') return isStream ? CLOSED_RESPONSE.test(text) : isCompleted(text);
  const finish = FINISHES[format];
  if (finish === undefined) return false;
  const reasons = [...text.matchAll(finish.member)].map(([, reason = '']) => reason);
  return reasons.length > 0 && reasons.every((reason) => finish.good.has(reason));
}

function isCompleted(text: string): boolean {
  const value = JSON.parse(text) as Fields;
  return value['status'] === 'completed';
}

/** What a search found is of its day. */
export const hasSearched = ({ surcharges }: Usage): boolean =>
  surcharges.some(({ name }) => name === WEB_SEARCH);
