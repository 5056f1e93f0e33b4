// Gemini's chunks: usage so far beside each of them, a finish reason in the last, no closing event.
import { readGeminiUsage } from '#server/models/formats/gemini-generate/usage.ts';
import { isObject } from '#server/models/formats/json.ts';
import {
  hasMember,
  isJsonEnd,
  readTokens,
  tokensBetween,
  tokensOfTexts,
} from '#server/relay/answer/event-text.ts';
import type { Dialect, EventFacts } from './dialect.ts';

const FINISH_NAME = '"finishReason"';
const FEEDBACK_NAME = '"promptFeedback"';
const ERROR_NAME = '"error"';
const PARTS_START = '"parts":[{"text":"';
const TEXT_NAME = '"text"';
const CALL_NAME = '"functionCall"';

export const geminiDialect: Dialect = {
  isPlain: (text) =>
    isJsonEnd(text) &&
    !text.includes(FINISH_NAME) &&
    !text.includes(FEEDBACK_NAME) &&
    !hasMember(text, ERROR_NAME),
  facts: readFacts,
  tokensOf: (text) => usualTokens(text) ?? readTokens(text, tokensOfContent),
  textsOf,
  tokensOfContent,
  usageIn: (answer) => readGeminiUsage(answer['usageMetadata']),
  hasFinish: (text) => text.includes(FINISH_NAME) || text.includes(FEEDBACK_NAME),
  hasUsageAlways: true,
};

/** One part of plain text: what nearly every chunk is. */
function usualTokens(text: string): number | undefined {
  const first = text.indexOf(TEXT_NAME);
  if (text.includes(CALL_NAME) || text.indexOf(TEXT_NAME, first + 1) >= 0) return undefined;
  return tokensBetween(text, PARTS_START);
}

function readFacts(event: unknown): EventFacts {
  if (!isObject(event)) return { usage: undefined, isUsageOnly: false, error: undefined, isClosing: false };
  const { candidates, error, promptFeedback } = event;
  const list = Array.isArray(candidates) ? (candidates as unknown[]) : [];
  const hasFinished = list.some((each) => isObject(each) && typeof each['finishReason'] === 'string');
  return {
    usage: readGeminiUsage(event['usageMetadata']),
    isUsageOnly: false,
    error: isObject(error) && list.length === 0 ? error : undefined,
    isClosing: false,
    mayClose: hasFinished || (isObject(promptFeedback) && list.length === 0),
  };
}

function tokensOfContent(event: unknown): number {
  return tokensOfTexts(textsOf(event));
}

function textsOf(event: unknown): string[] {
  const texts: string[] = [];
  if (!isObject(event) || !Array.isArray(event['candidates'])) return texts;
  for (const candidate of event['candidates'] as unknown[]) {
    const content = isObject(candidate) ? candidate['content'] : undefined;
    const parts = isObject(content) && Array.isArray(content['parts']) ? (content['parts'] as unknown[]) : [];
    for (const part of parts) {
      if (!isObject(part)) continue;
      if (typeof part['text'] === 'string' && part['text'] !== '') texts.push(part['text']);
      if (isObject(part['functionCall'])) texts.push(JSON.stringify(part['functionCall']));
    }
  }
  return texts;
}
