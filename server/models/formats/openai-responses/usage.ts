// Usage of OpenAI's Responses API.
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  cacheWrites,
  completionTokens,
  promptTokens,
  reported,
} from '#server/models/formats/openai-usage.ts';

export function encodeUsage(usage: CanonicalUsage): Json {
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
