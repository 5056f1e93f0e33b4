// Coze: a bot is asked with the conversation so far. A whole answer would have to be fetched again and again until it is
// there, so the stream is always asked for.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import type { UpstreamCodec } from '#server/formats/codec.ts';
import { count, isObject, member, number, parseFrame, text, type Json } from '#server/formats/json.ts';
import { noteDropped, plainText, usageOf } from '#server/formats/supplier-codec.ts';

/** Which bot is the channel's to say; the provider adds it. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, [], notes);
  return {
    user_id: request.user ?? 'api',
    stream: true,
    auto_save_history: false,
    additional_messages: request.messages.map(({ role, content }) => ({
      // A bot has instructions of its own; further ones can only be said to it.
      role: role === 'assistant' ? 'assistant' : 'user',
      type: role === 'assistant' ? 'answer' : 'question',
      content: plainText(content, notes),
      content_type: 'text',
    })),
  };
}

function failureIn(body: Json): { code: string; message: string } | undefined {
  const error = isObject(body['last_error']) ? body['last_error'] : body;
  const { code } = error;
  if (typeof code !== 'number' || code === 0) return undefined;
  return { code: String(code), message: text(error['msg']) };
}

export const coze: UpstreamCodec = {
  encodeRequest,
  decodeResponse: () => [],
  decodeStream() {
    return {
      push(event, data) {
        if (event === 'done' || data === '[DONE]' || data === '"[DONE]"') return [];
        const message = member(parseFrame(data));
        switch (event) {
          case 'conversation.chat.created':
            return [
              {
                type: 'start',
                id: text(message['id']),
                model: '',
                created: number(message['created_at']) ?? 0,
              },
            ];
          case 'conversation.message.delta': {
            if (message['type'] !== 'answer') return [];
            const events: CanonicalEvent[] = [];
            const thought = text(message['reasoning_content']);
            if (thought !== '') events.push({ type: 'reasoning-delta', choice: 0, text: thought });
            const said = text(message['content']);
            if (said !== '') events.push({ type: 'text-delta', choice: 0, text: said });
            return events;
          }
          case 'conversation.chat.completed':
            return endOf(message);
          case 'conversation.chat.failed':
          case 'error': {
            const { code, message: said } = failureIn(message) ?? { code: '', message: '' };
            return [{ type: 'error', message: said, code, status: 502 }];
          }
          default:
            return [];
        }
      },
      end: () => [],
    };
  },
  decodeError(body) {
    const failure = failureIn(member(body));
    return failure === undefined ? undefined : { ...failure, type: failure.code };
  },
};

function endOf(chat: Json): CanonicalEvent[] {
  const events: CanonicalEvent[] = [{ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' }];
  const { usage } = chat;
  if (isObject(usage)) {
    const [input, output] = [count(usage['input_count']) ?? 0, count(usage['output_count']) ?? 0];
    events.push({ type: 'usage', usage: usageOf({ input, output }, usage) });
  }
  return events;
}
