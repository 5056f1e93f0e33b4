// Anthropic's usage object. Its classes do not overlap: what was read from or written to the cache is not input.
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/openai-usage.ts';

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function readAnthropicUsage(usage: unknown): CanonicalUsage | undefined {
  if (!isObject(usage)) return undefined;
  const input = count(usage['input_tokens']);
  const output = count(usage['output_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const written = count(usage['cache_creation_input_tokens']) ?? 0;
  const created = isObject(usage['cache_creation']) ? usage['cache_creation'] : {};
  const hour = count(created['ephemeral_1h_input_tokens']) ?? 0;
  const minutes = count(created['ephemeral_5m_input_tokens']);
  const details = isObject(usage['output_tokens_details']) ? usage['output_tokens_details'] : {};
  const thinking = Math.min(output ?? 0, count(details['thinking_tokens']) ?? 0);
  return {
    input: input ?? 0,
    cacheRead: count(usage['cache_read_input_tokens']) ?? 0,
    cacheWrite5m: minutes ?? Math.max(0, written - hour),
    cacheWrite1h: hour,
    imageInput: 0,
    audioInput: 0,
    output: (output ?? 0) - thinking,
    reasoning: thinking,
    audioOutput: 0,
    raw: usage,
  };
}
