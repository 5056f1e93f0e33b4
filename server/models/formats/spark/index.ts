// iFlytek's Spark over a WebSocket: one message asks, each answer message has a piece; the last has status 2.
import type {
  CanonicalEvent,
  CanonicalMessage,
  CanonicalRequest,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { isObject, member, objects, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  contentEvents,
  errorOf,
  frameDecoder,
  functionTools,
  plainText,
  TOKEN_NAMES,
  usageEvents,
  type Failure,
} from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

const LAST_STATUS = 2;

/** The provider adds application and domain. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, ['maxOutputTokens', 'temperature', 'topK', 'tools', 'user'], notes);
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

function functionsOf(request: CanonicalRequest, notes: ConversionNote[]): Json | undefined {
  const functions = functionTools(request, notes).map(({ name, description, parameters }) =>
    withoutUndefined({ name, description, parameters }),
  );
  return functions.length === 0 ? undefined : { text: functions };
}

function failureIn(message: Json): Failure | undefined {
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
    return frameDecoder((message) => {
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
        } else {
          const reasoning = text(piece['reasoning_content']);
          events.push(...contentEvents({ reasoning, text: text(piece['content']) }));
        }
      }
      if (choices['status'] !== LAST_STATUS && header['status'] !== LAST_STATUS) return events;
      events.push({ type: 'finish', choice: 0, reason: isCall ? 'tool_calls' : 'stop', raw: 'stop' });
      const { text: usage } = member(payload['usage']);
      return [...events, ...usageEvents(usage, TOKEN_NAMES)];
    });
  },
  decodeError(body) {
    const failure = failureIn(member(body));
    if (failure !== undefined) return errorOf(failure);
    // A refused handshake is answered in plain HTTP.
    const message = text(member(body)['message']);
    return message === '' ? undefined : { message, type: '', code: '' };
  },
};
