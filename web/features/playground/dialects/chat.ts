/** OpenAI's Chat Completions, which the playground itself sends. */
import { audioFormat } from '#web/features/playground/attachments.ts';
import type { Call, CallMessage, CallPart } from '#web/features/playground/call.ts';
import { set, type Dialect } from './dialect.ts';

type Message = Record<string, unknown>;

export const chat: Dialect = (call) => ({
  path: '/v1/chat/completions',
  headers: (key) => ({ Authorization: `Bearer ${key}` }),
  body: chatBody(call),
  lost: [],
});

function chatBody(call: Call): Record<string, unknown> {
  const limit = call.facts?.limit_name ?? 'max_tokens';
  return set({
    model: call.model,
    messages: chatMessages(call),
    stream: true,
    temperature: call.temperature,
    [limit]: call.maxTokens === 0 ? undefined : call.maxTokens,
    top_p: call.topP,
    frequency_penalty: call.frequencyPenalty,
    presence_penalty: call.presencePenalty,
    seed: call.seed,
    stop: call.stop,
    reasoning_effort: call.effort,
    verbosity: call.verbosity,
    tools:
      call.tools.length === 0
        ? undefined
        : call.tools.map((tool) => ({ type: 'function', function: { ...tool } })),
    response_format: formatOf(call),
  });
}

function formatOf({ format }: Call): unknown {
  if (format === undefined) return undefined;
  if (format.type === 'json') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema } };
}

export function chatMessages({ system, messages }: Pick<Call, 'system' | 'messages'>): Message[] {
  const first = system === '' ? [] : [{ role: 'system', content: system }];
  return [...first, ...messages.map(messageOf)];
}

function messageOf(message: CallMessage): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: contentOf(message.parts) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.id, content: message.result };
    default:
      if (message.calls.length === 0) return { role: 'assistant', content: message.text };
      return {
        role: 'assistant',
        content: message.text === '' ? null : message.text,
        tool_calls: message.calls.map((each) => ({
          id: each.id,
          type: 'function',
          function: { name: each.name, arguments: each.arguments },
        })),
      };
  }
}

function contentOf(parts: readonly CallPart[]): string | Message[] {
  const [only] = parts;
  if (only === undefined) return '';
  if (parts.length === 1 && only.type === 'text') return only.text;
  return parts.map(partOf);
}

function partOf(part: CallPart): Message {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: audioFormat(part.mediaType) } };
    default:
      return {
        type: 'file',
        file: { filename: part.name, file_data: `data:application/pdf;base64,${part.data}` },
      };
  }
}
