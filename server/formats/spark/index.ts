// iFlytek's Spark over a WebSocket: one message asks, each answer message has a piece; the last has status 2.
import type {
  CanonicalEvent,
  CanonicalMessage,
  CanonicalRequest,
  ConversionNote,
} from '#server/formats/canonical.ts';
import type { UpstreamCodec } from '#server/formats/codec.ts';
import { drop } from '#server/formats/extras.ts';
import {
  count,
  isObject,
  member,
  objects,
  parseFrame,
  text,
  withoutUndefined,
  type Json,
} from '#server/formats/json.ts';
import { noteDropped, plainText, usageOf } from '#server/formats/supplier-codec.ts';

const lastStatus = 2;

/** The provider adds application and domain. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, ['maxOutputTokens', 'temperature', 'topK', 'tools'], notes);
  return {
    header: withoutUndefined({ uid: request.user?.slice(0, 32) }),
    parameter: {
      chat: withoutUndefined({
        temperature: request.temperature,
        top_k: request.topK === undefined ? undefined : Math.min(6, Math.max(1, request.topK)),
        max_tokens: request.maxOutputTokens,
      }),
    },
    payload: withoutUndefined({
      message: { text: request.messages.map((message) => turnOf(message, notes)) },
      functions: functionsOf(request, notes),
    }),
  };
}

function turnOf({ role, content }: CanonicalMessage, notes: ConversionNote[]): Json {
  const spoken = {
    assistant: 'assistant',
    system: 'system',
    developer: 'system',
    user: 'user',
    tool: 'user',
  };
  return { role: spoken[role], content: plainText(content, notes) };
}

function functionsOf({ tools = [] }: CanonicalRequest, notes: ConversionNote[]): Json | undefined {
  const functions = tools.flatMap((tool) => {
    if (tool.type === 'function')
      return [
        withoutUndefined({ name: tool.name, description: tool.description, parameters: tool.parameters }),
      ];
    drop(notes, 'tools', `${tool.name} is no function`);
    return [];
  });
  return functions.length === 0 ? undefined : { text: functions };
}

function failureIn(message: Json): { code: string; message: string } | undefined {
  const header = member(message['header']);
  const { code } = header;
  if (typeof code !== 'number' || code === 0) return undefined;
  return { code: String(code), message: text(header['message']) };
}

/** 10013 and neighbours: content filter; 11200 and above: the account. */
function statusOf(code: string): number {
  if (/^1(0013|0014|0019|0907)$/.test(code)) return 400;
  if (/^11200$|^1000[13]$|^10313$/.test(code)) return 401;
  return /^112(01|02|03)$|^10007$/.test(code) ? 429 : 502;
}

export const spark: UpstreamCodec = {
  encodeRequest,
  // There are no whole answers, only streams.
  decodeResponse: () => [],
  decodeStream() {
    let hasStarted = false;
    let isCall = false;
    return {
      push(_event, data) {
        const message = member(parseFrame(data));
        const failure = failureIn(message);
        if (failure !== undefined) return [{ type: 'error', ...failure, status: statusOf(failure.code) }];
        const events: CanonicalEvent[] = [];
        const header = member(message['header']);
        if (!hasStarted) events.push({ type: 'start', id: text(header['sid']), model: '', created: 0 });
        hasStarted = true;
        const payload = member(message['payload']);
        const choices = member(payload['choices']);
        for (const piece of objects(choices['text'])) {
          const { function_call: call } = piece;
          if (isObject(call)) {
            isCall = true;
            events.push({
              type: 'tool-call-delta',
              choice: 0,
              index: 0,
              id: `call_${text(header['sid']).replaceAll(/\W/g, '_')}`,
              name: text(call['name']),
              arguments: text(call['arguments']) || '{}',
            });
            continue;
          }
          const thought = text(piece['reasoning_content']);
          if (thought !== '') events.push({ type: 'reasoning-delta', choice: 0, text: thought });
          const content = text(piece['content']);
          if (content !== '') events.push({ type: 'text-delta', choice: 0, text: content });
        }
        if (choices['status'] !== lastStatus && header['status'] !== lastStatus) return events;
        events.push({ type: 'finish', choice: 0, reason: isCall ? 'tool_calls' : 'stop', raw: 'stop' });
        const usage = member(payload['usage'])['text'];
        if (isObject(usage)) {
          const [input, output] = [
            count(usage['prompt_tokens']) ?? 0,
            count(usage['completion_tokens']) ?? 0,
          ];
          events.push({ type: 'usage', usage: usageOf({ input, output }, usage) });
        }
        return events;
      },
      end: () => [],
    };
  },
  decodeError(body) {
    const failure = failureIn(member(body));
    if (failure !== undefined) return { ...failure, type: failure.code };
    // A refused handshake is answered in plain HTTP.
    const message = text(member(body)['message']);
    return message === '' ? undefined : { message, type: '', code: '' };
  },
};
