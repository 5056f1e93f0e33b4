// What the JSON answer of /v1/chat/completions and its stream share.
import type { Composition } from './compose.ts';

export interface ChatAnswer {
  composition: Composition;
  choices: number;
  includeUsage: boolean;
  logprobs: boolean;
  audio: boolean;
}

export function logprobsJson(pieces: readonly string[]): string {
  const content = pieces.map((token) => {
    const probability = { token, logprob: -0.01, bytes: [...Buffer.from(token)] };
    return { ...probability, top_logprobs: [probability] };
  });
  return JSON.stringify({ content, refusal: null });
}
