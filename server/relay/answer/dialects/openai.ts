// OpenAI's events: chat and completion chunks, and the typed events of Responses, images and audio.
import { contentOf, readFacts } from '#server/models/formats/openai-events.ts';
import { readOpenAiUsage } from '#server/models/formats/openai-usage.ts';
import { isPlain, hasFinish } from '#server/relay/answer/event-text.ts';
import { tokensOfContent, tokensOfEvents } from '#server/relay/answer/event-text.ts';
import type { Dialect } from './dialect.ts';

export const openAiDialect: Dialect = {
  isPlain,
  facts: readFacts,
  tokensOf: tokensOfEvents,
  textsOf: contentOf,
  tokensOfContent,
  usageIn: (answer) => readOpenAiUsage(answer['usage']),
  hasFinish,
  hasUsageAlways: false,
};
