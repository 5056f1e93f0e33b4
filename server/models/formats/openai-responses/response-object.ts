// The response object: members repeated from the request, the status, and the ids of items.
import type {
  CanonicalCitation,
  CanonicalEvent,
  CanonicalLogprob,
  CanonicalUsage,
  FinishReason,
} from '#server/models/formats/canonical.ts';
import type { EncodeOptions } from '#server/models/formats/codec.ts';
import { isObject, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  cacheWrites,
  completionTokens,
  openAiTier,
  promptTokens,
  reported,
} from '#server/models/formats/openai-usage.ts';

export interface ResponseHead {
  id: string;
  model: string;
  created: number;
  serviceTier?: string;
}

export function headOf(start: ResponseHead | undefined, options: EncodeOptions | undefined): ResponseHead {
  const given = start?.id || options?.id || '';
  return {
    id: given.startsWith('resp_') ? given : `resp_${given.replace(/[^A-Za-z0-9_-]/g, '_')}`,
    model: start?.model || (options?.request?.model ?? ''),
    created: start?.created || (options?.created ?? 0),
    ...(start?.serviceTier === undefined ? {} : { serviceTier: start.serviceTier }),
  };
}

/** Members of the request that the answer repeats, with their defaults. */
const repeated: Readonly<Record<string, unknown>> = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  user: null,
};

function repeatedMembers(options: EncodeOptions | undefined): Json {
  const { request } = options ?? {};
  const source = request?.format === 'openai-responses' ? request.source : {};
  const members: Json = {};
  for (const [name, absent] of Object.entries(repeated)) members[name] = source[name] ?? absent;
  const reasoning = isObject(source['reasoning']) ? source['reasoning'] : {};
  members['reasoning'] = { effort: reasoning['effort'] ?? null, summary: reasoning['summary'] ?? null };
  return members;
}

export function responseObject(
  head: ResponseHead,
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed',
  rest: { output: unknown[]; usage?: CanonicalUsage; incomplete?: string; error?: Json },
  options: EncodeOptions | undefined,
): Json {
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    status,
    error: rest.error ?? null,
    incomplete_details: rest.incomplete === undefined ? null : { reason: rest.incomplete },
    model: head.model,
    output: rest.output,
    ...repeatedMembers(options),
    service_tier: openAiTier(head.serviceTier ?? 'default'),
    usage: rest.usage === undefined ? null : encodeUsage(rest.usage),
  };
}

/** The status: completed, or the reason why not. */
export function endingOf(reason: FinishReason): { status: 'completed' | 'incomplete'; incomplete?: string } {
  if (reason === 'length') return { status: 'incomplete', incomplete: 'max_output_tokens' };
  if (reason === 'content_filter') return { status: 'incomplete', incomplete: 'content_filter' };
  return { status: 'completed' };
}

export function annotationOf(citation: CanonicalCitation): Json | undefined {
  if (
    citation.origin === 'openai' &&
    isObject(citation.raw) &&
    typeof citation.raw['type'] === 'string' &&
    citation.url === undefined
  )
    return citation.raw;
  if (citation.url === undefined) return undefined;
  return {
    type: 'url_citation',
    url: citation.url,
    title: citation.title ?? '',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? 0,
  };
}

export const encodeLogprob = ({ token, logprob, bytes, top }: CanonicalLogprob): Json => ({
  token,
  logprob,
  bytes: bytes ?? [],
  top_logprobs: (top ?? []).map((other) => ({ ...other, bytes: other.bytes ?? [] })),
});

type ErrorEvent = Extract<CanonicalEvent, { type: 'error' }>;

/** Error codes that clients of this API know; they decide whether to retry. */
export function errorCode({ status, code }: ErrorEvent): string {
  if (status === 429) return 'rate_limit_exceeded';
  return code === '' ? 'server_error' : code;
}

function encodeUsage(usage: CanonicalUsage): Json {
  const input = promptTokens(usage);
  const output = completionTokens(usage);
  return {
    input_tokens: input,
    // Strict clients require this member; OpenAI writes 0 when nothing was cached.
    input_tokens_details: withoutUndefined({
      cached_tokens: usage.cacheRead,
      cache_write_tokens: cacheWrites(usage),
    }),
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reported(usage, 'reasoning') ?? 0 },
    total_tokens: input + output,
  };
}
