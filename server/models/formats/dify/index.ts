// Dify: an application with its own instructions receives one question.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { member, number, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  asQuestion,
  contentEvents,
  frameDecoder,
  TOKEN_NAMES,
  usageEvents,
} from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, ['user'], notes);
  const files = request.messages
    .flatMap(({ content }) => content)
    .flatMap((part) => (part.type === 'image' && part.url?.startsWith('http') ? [part.url] : []))
    .map((url) => ({ type: 'image', transfer_method: 'remote_url', url }));
  const spoken = request.messages.map((message) => ({
    ...message,
    content: message.content.filter((part) => part.type !== 'image' || !part.url?.startsWith('http')),
  }));
  return withoutUndefined({
    inputs: {},
    query: asQuestion(spoken, notes),
    response_mode: request.stream ? 'streaming' : 'blocking',
    // Dify requires a user id.
    user: request.user ?? 'api',
    files: files.length === 0 ? undefined : files,
  });
}

function startOf(message: Json): CanonicalEvent {
  const id = text(message['message_id']) || text(message['id']);
  return { type: 'start', id, model: '', created: number(message['created_at']) ?? 0 };
}

function endOf(message: Json): CanonicalEvent[] {
  const { usage } = member(message['metadata']);
  return [{ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' }, ...usageEvents(usage, TOKEN_NAMES)];
}

export const dify: UpstreamCodec = {
  encodeRequest,
  decodeResponse(body) {
    const message = member(body);
    const answer: CanonicalEvent = { type: 'text-delta', choice: 0, text: text(message['answer']) };
    return [startOf(message), answer, ...endOf(message)];
  },
  decodeStream() {
    let hasStarted = false;
    return frameDecoder((message) => {
      switch (message['event']) {
        case 'message':
        case 'agent_message': {
          const start = hasStarted ? [] : [startOf(message)];
          hasStarted = true;
          return [...start, ...contentEvents({ text: text(message['answer']) })];
        }
        case 'message_end':
          return endOf(message);
        case 'error': {
          const [reason, code] = [text(message['message']), text(message['code'])];
          return [{ type: 'error', message: reason, code, status: number(message['status']) ?? 502 }];
        }
        // Workflow events are not part of the answer.
        default:
          return [];
      }
    });
  },
  decodeError(body) {
    const error = member(body);
    const message = text(error['message']);
    const code = text(error['code']);
    return message === '' ? undefined : { message, type: code, code };
  },
};
