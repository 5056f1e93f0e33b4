// Anthropic's usage. `input_tokens` excludes tokens read from or written to the cache; reasoning is part of the output.
import type { CanonicalUsage, UsageClass } from '#server/models/formats/canonical.ts';
import { count, isObject, member, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { cacheWrites, reported } from '#server/models/formats/openai-usage.ts';

/** Undefined when the object reports no tokens. */
export function readAnthropicUsage(usage: unknown): CanonicalUsage | undefined {
  if (!isObject(usage)) return undefined;
  const input = count(usage['input_tokens']);
  const output = count(usage['output_tokens']);
  const read = count(usage['cache_read_input_tokens']);
  const written = count(usage['cache_creation_input_tokens']);
  const split = member(usage['cache_creation']);
  const long = count(split['ephemeral_1h_input_tokens']);
  const short = count(split['ephemeral_5m_input_tokens']);
  if (input === undefined && output === undefined && read === undefined && written === undefined)
    return undefined;
  const thinking = count(member(usage['output_tokens_details'])['thinking_tokens']);
  const cacheWrite1h = long ?? 0;
  const reasoning = Math.min(output ?? 0, thinking ?? 0);
  const absent: UsageClass[] = ['imageInput', 'audioInput', 'audioOutput'];
  if (read === undefined) absent.push('cacheRead');
  if (written === undefined && short === undefined) absent.push('cacheWrite5m');
  if (long === undefined) absent.push('cacheWrite1h');
  if (thinking === undefined) absent.push('reasoning');
  const webSearches = count(member(usage['server_tool_use'])['web_search_requests']);
  return {
    input: input ?? 0,
    cacheRead: read ?? 0,
    // A sum larger than its parts is kept: the rest counts as the five-minute class.
    cacheWrite5m: Math.max(short ?? 0, (written ?? 0) - cacheWrite1h),
    cacheWrite1h,
    imageInput: 0,
    audioInput: 0,
    output: (output ?? 0) - reasoning,
    reasoning,
    audioOutput: 0,
    absent,
    ...(webSearches === undefined ? {} : { webSearches }),
    raw: usage,
  };
}

/** A stream reports usage twice: the prompt at the start, the rest (or everything again) at the end. */
export function mergeAnthropicUsage(start: unknown, end: unknown): Json {
  const merged: Json = { ...member(start) };
  for (const [name, value] of Object.entries(member(end))) {
    if (value !== null && value !== undefined) merged[name] = value;
  }
  return merged;
}

export function encodeUsage(usage: CanonicalUsage): Json {
  const short = reported(usage, 'cacheWrite5m');
  const long = reported(usage, 'cacheWrite1h');
  const thinking = reported(usage, 'reasoning');
  return withoutUndefined({
    input_tokens: usage.input + usage.imageInput + usage.audioInput,
    cache_creation_input_tokens: cacheWrites(usage) ?? null,
    cache_read_input_tokens: reported(usage, 'cacheRead') ?? null,
    cache_creation:
      long === undefined
        ? undefined
        : { ephemeral_5m_input_tokens: short ?? 0, ephemeral_1h_input_tokens: long },
    output_tokens: usage.output + usage.reasoning + usage.audioOutput,
    output_tokens_details: thinking === undefined ? undefined : { thinking_tokens: thinking },
    server_tool_use:
      usage.webSearches === undefined
        ? undefined
        : { web_search_requests: usage.webSearches, web_fetch_requests: 0 },
  });
}
