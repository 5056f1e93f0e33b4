// Reads the usage objects of OpenAI's endpoints (chat, completions, embeddings, responses, images, audio, realtime) and of
// the many that copy them. There cached tokens are part of the prompt and reasoning is part of the completion; here the
// classes are taken apart. A number that is not a whole number ≥ 0 counts as absent.
import type { CanonicalUsage } from './canonical.ts';

type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function first(...values: unknown[]): number | undefined {
  for (const value of values) {
    const found = count(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const nothing: Json = {};

/** undefined when the object tells nothing about tokens. */
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
  if (input === undefined && output === undefined) {
    if (total === undefined) return undefined;
    input = total;
    output = 0;
  }
  input ??= Math.max(0, (total ?? 0) - (output ?? 0));
  output ??= Math.max(0, (total ?? 0) - input);

  const cacheRead = Math.min(
    input,
    first(inputDetails['cached_tokens'], usage['prompt_cache_hit_tokens']) ?? 0,
  );
  const cacheWrite = Math.min(input - cacheRead, count(inputDetails['cache_write_tokens']) ?? 0);
  // Cached audio and pictures are cached first of all: their discount must not be paid for twice.
  const cached = detail(inputDetails, 'cached_tokens_details');
  let left = input - cacheRead - cacheWrite;
  const audioInput = Math.min(left, uncached(inputDetails, cached, 'audio_tokens'));
  left -= audioInput;
  const imageInput = Math.min(left, uncached(inputDetails, cached, 'image_tokens'));
  left -= imageInput;
  const reasoning = Math.min(output, count(outputDetails['reasoning_tokens']) ?? 0);
  const audioOutput = Math.min(output - reasoning, count(outputDetails['audio_tokens']) ?? 0);
  return {
    input: left,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    imageInput,
    audioInput,
    output: output - reasoning - audioOutput,
    reasoning,
    audioOutput,
    raw: usage,
  };
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
  return (
    usage.input +
    usage.cacheRead +
    usage.cacheWrite5m +
    usage.cacheWrite1h +
    usage.imageInput +
    usage.audioInput +
    usage.output +
    usage.reasoning +
    usage.audioOutput
  );
}
