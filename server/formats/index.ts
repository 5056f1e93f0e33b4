// The formats that can be turned into one another. One codec each: what four formats can say to each other is eight
// functions, not twelve conversions. A format without a codec is only ever passed through.
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

/** The format to speak with an upstream: the caller's own if it can, else one both sides have a codec for. */
export function upstreamFormat(caller: string, speaks: readonly string[]): string | undefined {
  if (speaks.includes(caller)) return caller;
  if (codecs[caller] === undefined) return undefined;
  return speaks.find((format) => codecs[format] !== undefined);
}
