/** Actual and estimated cost of answers, by the price list. */
import { costOfCall, estimateTokens, QUOTA_TYPE, type PricingEntry } from '#contract/money/pricing.ts';
import type { Answer, RequestMessage } from './conversation.ts';

const CHAT_PATH = '/v1/chat/completions';
/** Tokens a picture is counted as before its real size is known. */
const IMAGE_TOKENS = 800;

export function chatModels(list: readonly PricingEntry[], group: string): string[] {
  return list
    .filter((entry) => entry.endpoints.includes(CHAT_PATH) && entry.enable_groups.includes(group))
    .map((entry) => entry.model_name);
}

/** Dollars of a finished answer; undefined while its tokens are not known. */
export function answerCost(
  answer: Answer,
  entry: PricingEntry | undefined,
  ratio: number,
): number | undefined {
  if (!entry) return undefined;
  if (entry.quota_type === QUOTA_TYPE.call)
    return answer.status === 'complete' ? costOfCall(entry, ratio, { prompt: 0, completion: 0 }) : undefined;
  if (!answer.usage) return undefined;
  const { prompt, cached, completion } = answer.usage;
  return costOfCall(entry, ratio, { prompt: prompt - cached + cached * entry.cache_ratio, completion });
}

export function promptTokens(messages: readonly RequestMessage[]): number {
  let tokens = 0;
  for (const { content } of messages) {
    if (typeof content === 'string') tokens += estimateTokens(content);
    else
      for (const part of content) tokens += part.type === 'text' ? estimateTokens(part.text) : IMAGE_TOKENS;
  }
  return tokens;
}
