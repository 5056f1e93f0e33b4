// Coze: a bot is sent the conversation. A whole answer would need polling, so the call always streams.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import type { UpstreamCodec } from '#server/formats/codec.ts';
import { count, isObject, member, number, parseFrame, text, type Json } from '#server/formats/json.ts';
import { noteDropped, plainText, usageOf } from '#server/formats/supplier-codec.ts';

/** The provider adds the bot id. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, [], notes);
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
            const content = text(message['content']);
            if (content !== '') events.push({ type: 'text-delta', choice: 0, text: content });
            return events;
          }
          case 'conversation.chat.completed':
            return endOf(message);
          case 'conversation.chat.failed':
          case 'error': {
            const { code, message: reason } = failureIn(message) ?? { code: '', message: '' };
            return [{ type: 'error', message: reason, code, status: 502 }];
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
