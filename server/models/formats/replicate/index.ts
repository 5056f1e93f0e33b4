// Replicate's language models: the call waits for a prediction. Its stream has another URL, so the answer comes whole.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import {
  count,
  isObject,
  list,
  member,
  text,
  withoutUndefined,
  type Json,
} from '#server/models/formats/json.ts';
import { asQuestion, plainText, splitInstructions, usageOf } from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, ['maxOutputTokens', 'temperature', 'topP', 'topK', 'seed', 'stop'], notes);
  const { system, spoken } = splitInstructions(request.messages);
  return {
    input: withoutUndefined({
      prompt: asQuestion(spoken, notes),
      system_prompt:
        system.length === 0 ? undefined : system.map(({ content }) => plainText(content, notes)).join('\n'),
      max_tokens: request.maxOutputTokens,
      temperature: request.temperature,
      top_p: request.topP,
      top_k: request.topK,
      seed: request.seed,
      stop_sequences: request.stop?.join(','),
    }),
  };
}

export const replicate: UpstreamCodec = {
  encodeRequest,
  decodeResponse(body) {
    const prediction = member(body);
    const { output } = prediction;
    const joined =
      typeof output === 'string'
        ? output
        : list(output)
            .filter((piece) => typeof piece === 'string')
            .join('');
    const events: CanonicalEvent[] = [
      { type: 'start', id: text(prediction['id']), model: text(prediction['model']), created: 0 },
      { type: 'text-delta', choice: 0, text: joined },
      { type: 'finish', choice: 0, reason: 'stop', raw: text(prediction['status']) },
    ];
    const { metrics } = prediction;
    const input = isObject(metrics) ? count(metrics['input_token_count']) : undefined;
    const tokens = isObject(metrics) ? count(metrics['output_token_count']) : undefined;
    if (input !== undefined && tokens !== undefined)
      events.push({ type: 'usage', usage: usageOf({ input, output: tokens }, metrics) });
    return events;
  },
  decodeStream: () => ({ push: () => [], end: () => [] }),
  decodeError(body) {
    const answer = member(body);
    const message = text(answer['detail']) || text(answer['error']);
    const type = text(answer['title']) || text(answer['status']);
    return message === '' ? undefined : { message, type, code: type };
  },
};
