// What the JSON answer of /v1/chat/completions and its stream share.
import type { MockToolCall } from '#mock/upstream/behaviour.ts';
import type { Composition } from './compose.ts';

export interface ChatAnswer {
  composition: Composition;
  choices: number;
  includeUsage: boolean;
  logprobs: boolean;
  audio: boolean;
}

/** A call without its id; `given` are the arguments so far. */
export function calledOf({ name, isCustom, arguments: whole }: MockToolCall, given = whole) {
  return isCustom === true
    ? { type: 'custom', custom: { name, input: given } }
    : { type: 'function', function: { name, arguments: given } };
}

export function logprobsJson(pieces: readonly string[]): string {
  const content = pieces.map((token) => {
    const probability = { token, logprob: -0.01, bytes: [...Buffer.from(token)] };
    return { ...probability, top_logprobs: [probability] };
  });
  return JSON.stringify({ content, refusal: null });
}
