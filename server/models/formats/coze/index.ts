// Coze: a bot is sent the conversation. A whole answer would need polling, so the call always streams.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { isObject, member, number, text, type Json } from '#server/models/formats/json.ts';
import {
  contentEvents,
  errorOf,
  frameDecoder,
  plainText,
  usageEvents,
  type Failure,
} from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

/** The provider adds the bot id. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, ['user'], notes);
  return {
    user_id: request.user ?? 'api',
    stream: true,
    auto_save_history: false,
    additional_messages: request.messages.map(({ role, content }) => ({
      // A bot has its own instructions; the caller's are sent as a message.
      role: role === 'assistant' ? 'assistant' : 'user',
      type: role === 'assistant' ? 'answer' : 'question',
      content: plainText(content, notes),
      content_type: 'text',
    })),
  };
}

function failureIn(body: Json): Failure | undefined {
  const error = isObject(body['last_error']) ? body['last_error'] : body;
  const { code } = error;
  if (typeof code !== 'number' || code === 0) return undefined;
  return { code: String(code), message: text(error['msg']) };
}

export const coze: UpstreamCodec = {
  encodeRequest,
  decodeResponse: () => [],
  decodeStream() {
    const decoder = frameDecoder(eventsOf);
    const isLast = (event: string, data: string) => event === 'done' || /^"?\[DONE\]"?$/.test(data);
    return { ...decoder, push: (event, data) => (isLast(event, data) ? [] : decoder.push(event, data)) };
  },
  decodeError: (body) => errorOf(failureIn(member(body))),
};

const COUNTS = { input: 'input_count', output: 'output_count', total: 'token_count' };

function eventsOf(message: Json, event: string): CanonicalEvent[] {
  switch (event) {
    case 'conversation.chat.created': {
      const [id, created] = [text(message['id']), number(message['created_at']) ?? 0];
      return [{ type: 'start', id, model: '', created }];
    }
    case 'conversation.message.delta': {
      if (message['type'] !== 'answer') return [];
      const reasoning = text(message['reasoning_content']);
      return contentEvents({ reasoning, text: text(message['content']) });
    }
    case 'conversation.chat.completed':
      return [
        { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
        ...usageEvents(message['usage'], COUNTS),
      ];
    case 'conversation.chat.failed':
    case 'error': {
      const failure = failureIn(message) ?? { code: '', message: '' };
      return [{ type: 'error', ...failure, status: 502 }];
    }
    default:
      return [];
  }
}
