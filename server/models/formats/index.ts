// The codecs of the formats that convert into one another through the canonical form. A format without a codec only passes
// through.
import { anthropicMessages } from './anthropic-messages/index.ts';
import type { Codec } from './codec.ts';
import { geminiGenerate } from './gemini-generate/index.ts';
import { openAiChat } from './openai-chat/index.ts';
import { openAiResponses } from './openai-responses/index.ts';

export const codecs: Readonly<Record<string, Codec>> = {
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  'anthropic-messages': anthropicMessages,
  'gemini-generate': geminiGenerate,
};
