// Reads the usage objects of OpenAI's endpoints (chat, completions, embeddings, responses, images, audio, realtime) and of
// compatible upstreams. OpenAI counts cached tokens as part of the prompt and reasoning as part of the completion; here the
// classes are disjoint. A fraction is rounded up; a value that is not a number of 0 or more counts as absent.
import type { CanonicalUsage, UsageClass } from './canonical.ts';
import { count, isObject, type Json } from './json.ts';

export { isObject } from './json.ts';

function first(...values: unknown[]): number | undefined {
  for (const value of values) {
    const found = count(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const nothing: Json = {};

/** Undefined when the object reports no tokens. */
export function readOpenAiUsage(usage: unknown): CanonicalUsage | undefined {
  if (!isObject(usage)) return undefined;
  const inputDetails = detail(usage, 'prompt_tokens_details', 'input_tokens_details', 'input_token_details');
  const outputDetails = detail(
    usage,
    'completion_tokens_details',
    'output_tokens_details',
    'output_token_details',
  );
  const total = count(usage['total_tokens']);
  let input = first(usage['prompt_tokens'], usage['input_tokens']);
  let output = first(usage['completion_tokens'], usage['output_tokens']);
  const isTotalAlone = input === undefined && output === undefined;
  if (isTotalAlone) {
    if (total === undefined) return undefined;
    input = total;
    output = 0;
  }
  input ??= Math.max(0, (total ?? 0) - (output ?? 0));
  let inTotalOnly = output === undefined ? Math.max(0, (total ?? 0) - input) : 0;
  output ??= inTotalOnly;

  const reportedCached = first(
    inputDetails['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    // Moonshot and Together.
    usage['cached_tokens'],
  );
  const reportedWritten = first(
    inputDetails['cache_write_tokens'],
    // Alibaba; LiteLLM for Claude.
    inputDetails['cache_creation_input_tokens'],
    usage['cache_creation_input_tokens'],
  );
  const reportedReasoning = first(outputDetails['reasoning_tokens'], usage['reasoning_tokens']);
  const citations = count(usage['citation_tokens']);
  if (citations !== undefined) {
    // Perplexity's total has neither the pages it read, which are priced as input, nor its research, priced as reasoning.
    input += citations;
    output += reportedReasoning ?? 0;
  } else {
    const beside = Math.max(0, (total ?? 0) - input - output);
    // What only the total has is output: xAI and Google's compatible API count reasoning there. Cached tokens that exactly
    // fill the gap are a prompt that was counted without them, as Anthropic does.
    if (beside > 0 && beside === (reportedCached ?? 0) + (reportedWritten ?? 0)) input += beside;
    else {
      output += beside;
      inTotalOnly = Math.max(inTotalOnly, beside - (reportedReasoning ?? 0));
    }
  }

  const cacheRead = Math.min(input, reportedCached ?? 0);
  const cacheWrite = Math.min(input - cacheRead, reportedWritten ?? 0);
  // Cached audio and images count as cached only: the discount must apply once.
  const cached = detail(inputDetails, 'cached_tokens_details');
  let left = input - cacheRead - cacheWrite;
  const audioInput = Math.min(left, uncached(inputDetails, cached, 'audio_tokens'));
  left -= audioInput;
  const imageInput = Math.min(left, uncached(inputDetails, cached, 'image_tokens'));
  left -= imageInput;
  const reasoning = Math.min(output, reportedReasoning ?? 0);
  const audioOutput = Math.min(output - reasoning, count(outputDetails['audio_tokens']) ?? 0);
  const webSearches = count(usage['num_search_queries']);
  const absent: UsageClass[] = ['cacheWrite1h'];
  if (reportedCached === undefined) absent.push('cacheRead');
  if (reportedWritten === undefined) absent.push('cacheWrite5m');
  if (count(inputDetails['audio_tokens']) === undefined) absent.push('audioInput');
  if (count(inputDetails['image_tokens']) === undefined) absent.push('imageInput');
  if (reportedReasoning === undefined) absent.push('reasoning');
  if (count(outputDetails['audio_tokens']) === undefined) absent.push('audioOutput');
  const read: CanonicalUsage = {
    input: left,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    imageInput,
    audioInput,
    output: output - reasoning - audioOutput,
    reasoning,
    audioOutput,
    absent,
    raw: usage,
  };
  if (inTotalOnly > 0) read.inTotalOnly = inTotalOnly;
  if (isTotalAlone) read.isTotalAlone = isTotalAlone;
  if (webSearches !== undefined) read.webSearches = webSearches;
  return read;
}

const OPEN_AI_TIERS = new Set(['auto', 'default', 'flex', 'scale', 'priority']);

/** Strict clients refuse values that OpenAI does not have, such as Anthropic's `standard`. */
export const openAiTier = (tier: string): string => (OPEN_AI_TIERS.has(tier) ? tier : 'default');

/** The number, or undefined when not reported: absent is not 0. */
export function reported(usage: CanonicalUsage, name: UsageClass): number | undefined {
  return usage[name] === 0 && usage.absent?.includes(name) === true ? undefined : usage[name];
}

export function promptTokens(usage: CanonicalUsage): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, imageInput, audioInput } = usage;
  return input + cacheRead + cacheWrite5m + cacheWrite1h + imageInput + audioInput;
}

export function completionTokens(usage: CanonicalUsage): number {
  return usage.output + usage.reasoning + usage.audioOutput;
}

/** Both classes of cache writes; undefined when neither was reported. */
export function cacheWrites(usage: CanonicalUsage): number | undefined {
  const short = reported(usage, 'cacheWrite5m');
  const long = reported(usage, 'cacheWrite1h');
  return short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
}

function uncached(details: Json, cached: Json, name: string): number {
  return Math.max(0, (count(details[name]) ?? 0) - (count(cached[name]) ?? 0));
}

function detail(object: Json, ...names: string[]): Json {
  for (const name of names) {
    const value = object[name];
    if (isObject(value)) return value;
  }
  return nothing;
}

export function totalTokens(usage: CanonicalUsage): number {
  return promptTokens(usage) + completionTokens(usage);
}
