// What the JSON answer of /v1/messages and its stream share.
import type { MockToolCall } from '#mock/upstream/behaviour.ts';
import type { Exchange } from '#mock/upstream/dialect.ts';
import type { Composition } from '#mock/upstream/openai/compose.ts';
import { uniqueId } from '#mock/upstream/openai/identity.ts';
import { redactedOf, signatureOf } from './thinking.ts';

type Json = Record<string, unknown>;

export interface MessageAnswer {
  composition: Composition;
  head: Json;
  stopReason: string;
  stopSequence: string | null;
  /** What is known at the start: all but the output. */
  inputUsage: Json;
}

export function thinkingBlock(exchange: Exchange, text: string): Json {
  if (exchange.behaviour.redactsThinking) return { type: 'redacted_thinking', data: redactedOf(text) };
  return { type: 'thinking', thinking: text, signature: signatureOf(text) };
}

export function toolUseOf(call: MockToolCall): Json {
  return {
    type: 'tool_use',
    id: uniqueId('toolu_'),
    name: call.name,
    input: JSON.parse(call.arguments || '{}'),
  };
}
