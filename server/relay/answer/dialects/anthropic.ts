// Anthropic's events: typed, usage at the start and again, whole, near the end; `message_stop` closes.
import { mergeAnthropicUsage, readAnthropicUsage } from '#server/models/formats/anthropic-messages/usage.ts';
import { isObject } from '#server/models/formats/json.ts';
import {
  hasMember,
  isJsonEnd,
  readTokens,
  tokensBetween,
  tokensOfTexts,
} from '#server/relay/answer/event-text.ts';
import type { Dialect, EventFacts } from './dialect.ts';

const STOP_NAME = '"message_stop"';
const STOP_REASON = '"stop_reason":"';
const TEXT_DELTA = '"delta":{"type":"text_delta","text":"';
const DELTA_NAME = '_delta","';

export const anthropicDialect: Dialect = {
  isPlain: (text) =>
    isJsonEnd(text) &&
    !text.includes(STOP_NAME) &&
    !hasMember(text, USAGE_NAME) &&
    !hasMember(text, ERROR_NAME),
  facts: readFacts,
  tokensOf: (text) => usualTokens(text) ?? readTokens(text, tokensOfContent),
  textsOf,
  tokensOfContent,
  usageIn: (answer) => readAnthropicUsage(answer['usage']),
  hasFinish: (text) => text.includes(STOP_REASON),
  hasUsageAlways: false,
  // The start reports the prompt, the end the output; the end need not repeat the start.
  mergeUsage: (before, now) => readAnthropicUsage(mergeAnthropicUsage(before.raw, now.raw)) ?? now,
};

const USAGE_NAME = '"usage"';
const ERROR_NAME = '"error"';

function readFacts(event: unknown): EventFacts {
  if (!isObject(event)) return { usage: undefined, isUsageOnly: false, error: undefined, isClosing: false };
  const { type, message, error } = event;
  const holder = isObject(message) ? message : event;
  return {
    usage: readAnthropicUsage(holder['usage']),
    isUsageOnly: false,
    error: type === 'error' ? (isObject(error) ? error : event) : undefined,
    isClosing: type === 'message_stop',
  };
}

/** One event with one plain piece of text. */
function usualTokens(text: string): number | undefined {
  const found = text.indexOf(DELTA_NAME);
  if (found < 0 || text.indexOf(DELTA_NAME, found + DELTA_NAME.length) >= 0) return undefined;
  return tokensBetween(text, TEXT_DELTA);
}

function tokensOfContent(event: unknown): number {
  return tokensOfTexts(textsOf(event));
}

function textsOf(event: unknown): string[] {
  const texts: string[] = [];
  if (!isObject(event)) return texts;
  addText(texts, event['delta']);
  const { content } = event;
  if (Array.isArray(content)) for (const block of content as unknown[]) addText(texts, block);
  return texts;
}

function addText(texts: string[], block: unknown): void {
  if (!isObject(block)) return;
  for (const name of ['text', 'thinking', 'partial_json'] as const) {
    const value = block[name];
    if (typeof value === 'string' && value !== '') texts.push(value);
  }
  if (isObject(block['input'])) texts.push(JSON.stringify(block['input']));
}
