/** Actual and estimated cost of answers, by the price list. */
import {
  costOfCall,
  estimateTokens,
  isPricedAsAnswered,
  QUOTA_TYPE,
  type PricingEntry,
} from '#contract/money/pricing.ts';
import type { CallMessage, CallPart } from './call.ts';
import type { Answer } from './conversation.ts';

const CHAT_PATH = '/v1/chat/completions';
/** Tokens a picture is counted as before its real size is known. */
const IMAGE_TOKENS = 800;
/** Of a page of a PDF about this many bytes, and of a page or a second of sound about these tokens. */
const PDF_PAGE_BYTES = 60_000;
const PDF_PAGE_TOKENS = 1500;
const AUDIO_SECOND_BYTES = 16_000;
const AUDIO_SECOND_TOKENS = 30;

export function chatModels(list: readonly PricingEntry[], group: string): string[] {
  return list
    .filter((entry) => entry.endpoints.includes(CHAT_PATH) && entry.enable_groups.includes(group))
    .map((entry) => entry.model_name);
}

/** Dollars of a finished answer; undefined while its tokens are not known, and where the model that answered decides. */
export function answerCost(
  answer: Answer,
  entry: PricingEntry | undefined,
  ratio: number,
): number | undefined {
  if (!entry || isPricedAsAnswered(entry)) return undefined;
  if (entry.quota_type === QUOTA_TYPE.call)
    return answer.status === 'complete' ? costOfCall(entry, ratio, { prompt: 0, completion: 0 }) : undefined;
  if (!answer.usage) return undefined;
  const { prompt, cached, completion } = answer.usage;
  return costOfCall(entry, ratio, { prompt: prompt - cached + cached * entry.cache_ratio, completion });
}

/** Roughly: what a file is counted as depends on its model. */
function partTokens(part: CallPart): number {
  const bytes = part.type === 'text' ? 0 : part.data.length * 0.75;
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text);
    case 'image':
      return IMAGE_TOKENS;
    case 'pdf':
      return Math.ceil(bytes / PDF_PAGE_BYTES) * PDF_PAGE_TOKENS;
    default:
      return Math.ceil(bytes / AUDIO_SECOND_BYTES) * AUDIO_SECOND_TOKENS;
  }
}

export function promptTokens(system: string, messages: readonly CallMessage[]): number {
  let tokens = estimateTokens(system);
  for (const message of messages) {
    if (message.role === 'user') for (const part of message.parts) tokens += partTokens(part);
    else if (message.role === 'tool') tokens += estimateTokens(message.result);
    else tokens += estimateTokens(message.text + message.calls.map((call) => call.arguments).join(''));
  }
  return tokens;
}
