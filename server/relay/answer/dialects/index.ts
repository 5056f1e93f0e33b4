// Which reader belongs to which format. That of OpenAI's events (chunks of chats and completions, typed events of Responses, images and
// audio) is made of functions that exist anyway.
import { contentOf, readFacts } from '#server/models/formats/openai-events.ts';
import { readOpenAiUsage } from '#server/models/formats/openai-usage.ts';
import { isPlain, hasFinish, tokensOfContent, tokensOfEvents } from '#server/relay/answer/event-text.ts';
import { anthropicDialect } from './anthropic.ts';
import type { Dialect } from './dialect.ts';
import { geminiDialect } from './gemini.ts';

export type { Dialect, EventFacts } from './dialect.ts';

const openAiDialect: Dialect = {
  isPlain,
  facts: readFacts,
  tokensOf: tokensOfEvents,
  textsOf: contentOf,
  tokensOfContent,
  usageIn: (answer) => readOpenAiUsage(answer['usage']),
  hasFinish,
  hasUsageAlways: false,
};

export function dialectOf(format: string): Dialect {
  if (format === 'anthropic-messages') return anthropicDialect;
  return format.startsWith('gemini') ? geminiDialect : openAiDialect;
}
