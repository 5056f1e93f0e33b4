// Baidu's older chat (ERNIE on the Wenxin workshop): separate instructions, the answer in one member, errors inside a 200.
import type {
  CanonicalEvent,
  CanonicalMessage,
  CanonicalRequest,
  ConversionNote,
  FinishReason,
  FunctionTool,
} from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { isObject, member, number, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  contentEvents,
  errorOf,
  frameDecoder,
  functionTools,
  plainText,
  reasonFrom,
  splitInstructions,
  TOKEN_NAMES,
  usageEvents,
  wordOf,
  type Failure,
} from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  normal: 'stop',
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
};

function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(
    request,
    ['maxOutputTokens', 'temperature', 'topP', 'stop', 'tools', 'presencePenalty', 'user'],
    notes,
  );
  const { system, spoken } = splitInstructions(request.messages);
  const functions = functionTools(request, notes);
  const { temperature, presencePenalty } = request;
  return withoutUndefined({
    messages: turnsOf(spoken, notes),
    system:
      system.length === 0 ? undefined : system.map(({ content }) => plainText(content, notes)).join('\n'),
    stream: request.stream,
    // Baidu refuses zero; this is its minimum.
    temperature: temperature === undefined ? undefined : Math.min(1, Math.max(0.01, temperature)),
    top_p: request.topP,
    penalty_score: presencePenalty === undefined ? undefined : Math.min(2, Math.max(1, 1 + presencePenalty)),
    stop: request.stop,
    max_output_tokens: request.maxOutputTokens,
    functions: functions.length === 0 ? undefined : functions.map(describe),
    user_id: request.user,
  });
}

/** Roles alternate, and the first and last turn are the user's; a result is matched by its function's name. */
function turnsOf(messages: readonly CanonicalMessage[], notes: ConversionNote[]): Json[] {
  const names = new Map<string, string>();
  const turns: Json[] = [];
  for (const { role, content } of messages) {
    for (const part of content) {
      if (part.type === 'tool_call') names.set(part.id, part.name);
      if (part.type === 'tool_result') {
        const name = part.name ?? names.get(part.callId) ?? part.callId;
        turns.push({ role: 'function', name, content: plainText(part.content, notes) });
      }
    }
    const call = content.find((part) => part.type === 'tool_call');
    const plain = plainText(
      content.filter((part) => part.type !== 'tool_call' && part.type !== 'tool_result'),
      notes,
    );
    if (call !== undefined) {
      const function_call = { name: call.name, arguments: call.arguments };
      turns.push({ role: 'assistant', content: plain, function_call });
    } else if (plain !== '') push(turns, role === 'assistant' ? 'assistant' : 'user', plain);
  }
  return turns;
}

function push(turns: Json[], role: string, content: string): void {
  const last = turns.at(-1);
  if (last?.['role'] === role && last['function_call'] === undefined) {
    last['content'] = `${text(last['content'])}\n${content}`;
  } else turns.push({ role, content });
}

const describe = ({ name, description = name, parameters }: FunctionTool): Json => ({
  name,
  description,
  parameters,
});

function eventsOf(answer: Json): CanonicalEvent[] {
  const events = contentEvents({ text: text(answer['result']) });
  const { function_call: call } = answer;
  if (isObject(call)) {
    events.push({
      type: 'tool-call-delta',
      choice: 0,
      index: 0,
      id: `call_${text(answer['id'])}`,
      name: text(call['name']),
      arguments: text(call['arguments']) || '{}',
    });
  }
  return events;
}

function endOf(answer: Json): CanonicalEvent[] {
  const raw = isObject(answer['function_call']) ? 'function_call' : text(answer['finish_reason']) || 'normal';
  const reason = answer['is_truncated'] === true ? 'length' : reasonFrom(REASONS, raw);
  // Usage is cumulative; only the last value counts.
  return [{ type: 'finish', choice: 0, reason, raw }, ...usageEvents(answer['usage'], TOKEN_NAMES)];
}

function startOf(answer: Json): CanonicalEvent {
  return { type: 'start', id: text(answer['id']), model: '', created: number(answer['created']) ?? 0 };
}

function failureIn(answer: Json): Failure | undefined {
  const code = answer['error_code'];
  if (code === undefined || code === 0) return undefined;
  return { code: wordOf(code), message: text(answer['error_msg']) };
}

export const baidu: UpstreamCodec = {
  encodeRequest,
  decodeResponse(body) {
    const answer = member(body);
    return [startOf(answer), ...eventsOf(answer), ...endOf(answer)];
  },
  decodeStream() {
    let hasStarted = false;
    return frameDecoder((answer) => {
      const failure = failureIn(answer);
      if (failure !== undefined) return [{ type: 'error', ...failure, status: 502 }];
      const start = hasStarted ? [] : [startOf(answer)];
      hasStarted = true;
      return [...start, ...eventsOf(answer), ...(answer['is_end'] === true ? endOf(answer) : [])];
    });
  },
  decodeError: (body) => errorOf(failureIn(member(body))),
};
