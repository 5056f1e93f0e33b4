/** OpenAI's Responses. */
import { audioFormat } from '#web/features/playground/attachments.ts';
import type { Call, CallMessage, CallPart } from '#web/features/playground/call.ts';
import { set, type Dialect, type Lost } from './dialect.ts';

type Item = Record<string, unknown>;

export const responses: Dialect = (call) => ({
  path: '/v1/responses',
  headers: (key) => ({ Authorization: `Bearer ${key}` }),
  body: set({
    model: call.model,
    instructions: call.system === '' ? undefined : call.system,
    input: call.messages.flatMap(itemsOf),
    stream: true,
    // Nothing is kept at the upstream that the caller did not ask to keep.
    store: false,
    temperature: call.temperature,
    max_output_tokens: call.maxTokens === 0 ? undefined : call.maxTokens,
    top_p: call.topP,
    reasoning: call.effort === undefined ? undefined : { effort: call.effort },
    tools: call.tools.length === 0 ? undefined : call.tools.map((tool) => ({ type: 'function', ...tool })),
    text: textOf(call),
  }),
  lost: lostOf(call),
});

function lostOf(call: Call): Lost[] {
  return [
    ...(call.seed === undefined ? [] : (['seed'] as const)),
    ...(call.stop === undefined ? [] : (['stop'] as const)),
    ...(call.frequencyPenalty === undefined && call.presencePenalty === undefined
      ? []
      : (['penalties'] as const)),
  ];
}

function textOf({ format, verbosity }: Call): unknown {
  if (format === undefined && verbosity === undefined) return undefined;
  const shape =
    format === undefined
      ? undefined
      : format.type === 'json'
        ? { type: 'json_object' }
        : { type: 'json_schema', name: 'answer', schema: format.schema };
  return set({ format: shape, verbosity });
}

function itemsOf(message: CallMessage): Item[] {
  switch (message.role) {
    case 'user': {
      const [only] = message.parts;
      const isText = message.parts.length === 1 && only?.type === 'text';
      return [{ role: 'user', content: isText ? only.text : message.parts.map(partOf) }];
    }
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.id, output: message.result }];
    default:
      return [
        ...(message.text === '' ? [] : [{ role: 'assistant', content: message.text }]),
        ...message.calls.map((each) => ({
          type: 'function_call',
          call_id: each.id,
          name: each.name,
          arguments: each.arguments,
        })),
      ];
  }
}

function partOf(part: CallPart): Item {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}` };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: audioFormat(part.mediaType) } };
    default:
      return {
        type: 'input_file',
        filename: part.name,
        file_data: `data:application/pdf;base64,${part.data}`,
      };
  }
}
