// Gemini's usage. Cached tokens are part of the prompt, reasoning is not part of the answer, media are listed separately.
import type { CanonicalUsage, UsageClass } from '#server/models/formats/canonical.ts';
import { count, isObject, objects, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import { completionTokens, promptTokens, reported } from '#server/models/formats/openai-usage.ts';

function ofKind(details: unknown, kinds: readonly string[]): number | undefined {
  let sum: number | undefined;
  for (const detail of objects(details)) {
    if (kinds.includes(text(detail['modality']))) sum = (sum ?? 0) + (count(detail['tokenCount']) ?? 0);
  }
  return sum;
}

const PICTURES = ['IMAGE', 'VIDEO'];
const SOUND = ['AUDIO'];

/** Undefined when the object reports no tokens. */
export function readGeminiUsage(usage: unknown): CanonicalUsage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = count(usage['promptTokenCount']);
  const candidates = count(usage['candidatesTokenCount']);
  const thoughts = count(usage['thoughtsTokenCount']);
  const total = count(usage['totalTokenCount']);
  if (prompt === undefined && candidates === undefined && thoughts === undefined && total === undefined)
    return undefined;
  const input = (prompt ?? 0) + (count(usage['toolUsePromptTokenCount']) ?? 0);
  const cached = count(usage['cachedContentTokenCount']);
  const cacheRead = Math.min(input, cached ?? 0);
  let left = input - cacheRead;
  const take = (kinds: readonly string[]): number => {
    const all = ofKind(usage['promptTokensDetails'], kinds) ?? 0;
    const taken = Math.min(left, Math.max(0, all - (ofKind(usage['cacheTokensDetails'], kinds) ?? 0)));
    left -= taken;
    return taken;
  };
  const audioInput = take(SOUND);
  const imageInput = take(PICTURES);
  // With only a total, the answer is what is neither prompt nor reasoning.
  const answer = candidates ?? Math.max(0, (total ?? 0) - input - (thoughts ?? 0));
  const audioOutput = Math.min(answer, ofKind(usage['candidatesTokensDetails'], SOUND) ?? 0);
  const absent: UsageClass[] = ['cacheWrite5m', 'cacheWrite1h'];
  if (cached === undefined) absent.push('cacheRead');
  if (thoughts === undefined) absent.push('reasoning');
  if (ofKind(usage['promptTokensDetails'], PICTURES) === undefined) absent.push('imageInput');
  if (ofKind(usage['promptTokensDetails'], SOUND) === undefined) absent.push('audioInput');
  if (ofKind(usage['candidatesTokensDetails'], SOUND) === undefined) absent.push('audioOutput');
  return {
    input: left,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    imageInput,
    audioInput,
    output: answer - audioOutput,
    reasoning: thoughts ?? 0,
    audioOutput,
    absent,
    raw: usage,
  };
}

export function encodeUsage(usage: CanonicalUsage): Json {
  const prompt = promptTokens(usage);
  const details = (name: UsageClass, modality: string): Json[] => {
    const tokenCount = reported(usage, name);
    return tokenCount === undefined || tokenCount === 0 ? [] : [{ modality, tokenCount }];
  };
  const media = [...details('imageInput', 'IMAGE'), ...details('audioInput', 'AUDIO')];
  const spoken = details('audioOutput', 'AUDIO');
  return withoutUndefined({
    promptTokenCount: prompt,
    cachedContentTokenCount: reported(usage, 'cacheRead'),
    candidatesTokenCount: usage.output + usage.audioOutput,
    thoughtsTokenCount: reported(usage, 'reasoning'),
    totalTokenCount: prompt + completionTokens(usage),
    promptTokensDetails: media.length === 0 ? undefined : media,
    candidatesTokensDetails: spoken.length === 0 ? undefined : spoken,
  });
}
