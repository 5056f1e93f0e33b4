// Gemini's usage object. What is cached is part of the prompt; thoughts stand outside the candidates.
import type { CanonicalUsage } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/openai-usage.ts';
import { count } from './anthropic-usage.ts';

export function readGeminiUsage(usage: unknown): CanonicalUsage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = count(usage['promptTokenCount']);
  const candidates = count(usage['candidatesTokenCount']);
  if (prompt === undefined && candidates === undefined) return undefined;
  // What the provider's own tools brought into the prompt is billed as prompt.
  const input = (prompt ?? 0) + (count(usage['toolUsePromptTokenCount']) ?? 0);
  const cacheRead = Math.min(input, count(usage['cachedContentTokenCount']) ?? 0);
  const cached = usage['cacheTokensDetails'];
  let left = input - cacheRead;
  const audioInput = Math.min(left, uncached(usage['promptTokensDetails'], cached, 'AUDIO'));
  left -= audioInput;
  const imageInput = Math.min(left, uncached(usage['promptTokensDetails'], cached, 'IMAGE'));
  const spoken = Math.min(candidates ?? 0, modality(usage['candidatesTokensDetails'], 'AUDIO'));
  return {
    input: left - imageInput,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    imageInput,
    audioInput,
    output: (candidates ?? 0) - spoken,
    reasoning: count(usage['thoughtsTokenCount']) ?? 0,
    audioOutput: spoken,
    raw: usage,
  };
}

function uncached(details: unknown, cached: unknown, name: string): number {
  return Math.max(0, modality(details, name) - modality(cached, name));
}

function modality(details: unknown, name: string): number {
  if (!Array.isArray(details)) return 0;
  let tokens = 0;
  for (const entry of details as unknown[]) {
    if (isObject(entry) && entry['modality'] === name) tokens += count(entry['tokenCount']) ?? 0;
  }
  return tokens;
}
