// Chat answers of OpenAI's format, whole and streamed, to canonical events and back.
import type { CanonicalEvent, CanonicalUsage, FinishReason } from '#server/formats/canonical.ts';
import type { CanonicalError, EncodeOptions, StreamDecoder, StreamEncoder } from '#server/formats/codec.ts';
import { isObject, readOpenAiUsage } from '#server/formats/openai-usage.ts';
import { text } from './parts.ts';

type Json = Record<string, unknown>;

const knownReasons = new Set(['stop', 'length', 'tool_calls', 'content_filter']);

function reasonOf(raw: string): FinishReason {
  if (raw === 'function_call') return 'tool_calls';
  return knownReasons.has(raw) ? (raw as FinishReason) : 'other';
}

function startOf(body: Json): CanonicalEvent {
  const created = typeof body['created'] === 'number' ? body['created'] : 0;
  return { type: 'start', id: text(body['id']), model: text(body['model']), created };
}

function errorOf(error: Json): CanonicalEvent {
  const status = Number(error['status'] ?? error['code']);
  return {
    type: 'error',
    message: text(error['message']),
    code: text(error['code']) || text(error['type']),
    status: Number.isInteger(status) && status >= 400 && status < 600 ? status : 500,
  };
}

export function decodeError(body: unknown): CanonicalError | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return undefined;
  return { message: text(error['message']), type: text(error['type']), code: text(error['code']) };
}

/** The events of one delta or one whole message: same names, same order. */
function contentEvents(choice: number, content: Json): CanonicalEvent[] {
  const events: CanonicalEvent[] = [];
  const reasoning = text(content['reasoning_content']) || text(content['reasoning']);
  if (reasoning !== '') events.push({ type: 'reasoning-delta', choice, text: reasoning });
  if (text(content['content']) !== '')
    events.push({ type: 'text-delta', choice, text: text(content['content']) });
  if (text(content['refusal']) !== '')
    events.push({ type: 'refusal-delta', choice, text: text(content['refusal']) });
  const calls = Array.isArray(content['tool_calls'])
    ? (content['tool_calls'] as unknown[]).filter(isObject)
    : [];
  for (const [position, call] of calls.entries()) {
    const described = isObject(call['function']) ? call['function'] : {};
    events.push({
      type: 'tool-call-delta',
      choice,
      index: typeof call['index'] === 'number' ? call['index'] : position,
      ...(text(call['id']) === '' ? {} : { id: text(call['id']) }),
      ...(text(described['name']) === '' ? {} : { name: text(described['name']) }),
      arguments: text(described['arguments']),
    });
  }
  return events;
}

function choiceEvents(body: Json, member: 'delta' | 'message'): CanonicalEvent[] {
  const choices = Array.isArray(body['choices']) ? (body['choices'] as unknown[]).filter(isObject) : [];
  return choices.flatMap((choice, position) => {
    const index = typeof choice['index'] === 'number' ? choice['index'] : position;
    const content = choice[member];
    const events = isObject(content) ? contentEvents(index, content) : [];
    const raw = text(choice['finish_reason']);
    if (raw !== '') events.push({ type: 'finish', choice: index, reason: reasonOf(raw), raw });
    return events;
  });
}

export function decodeResponse(body: unknown): CanonicalEvent[] {
  if (!isObject(body)) return [];
  if (isObject(body['error']) && !('choices' in body)) return [errorOf(body['error'])];
  const usage = readOpenAiUsage(body['usage']);
  return [
    startOf(body),
    ...choiceEvents(body, 'message'),
    ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
  ];
}

export function decodeStream(): StreamDecoder {
  let hasStarted = false;
  return {
    push(_event, data) {
      if (data === '[DONE]') return [];
      const body = JSON.parse(data) as unknown;
      if (!isObject(body)) return [];
      if (isObject(body['error']) && !('choices' in body)) return [errorOf(body['error'])];
      const events = choiceEvents(body, 'delta');
      const usage = readOpenAiUsage(body['usage']);
      if (usage !== undefined) events.push({ type: 'usage', usage });
      if (hasStarted) return events;
      hasStarted = true;
      return [startOf(body), ...events];
    },
    end: () => [],
  };
}

export function encodeUsage(usage: CanonicalUsage): Json {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, imageInput, audioInput } = usage;
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h + imageInput + audioInput;
  const completion = usage.output + usage.reasoning + usage.audioOutput;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: audioInput },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput },
  };
}

const rawReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  error: 'stop',
  other: 'stop',
};

export function encodeStream({ includeUsage }: EncodeOptions): StreamEncoder {
  let head: Json = {};
  let usage: CanonicalUsage | undefined;
  const begun = new Set<number>();
  const write = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;
  const chunk = (choice: number, delta: Json, finish: string | null): string => {
    // The role comes once, with the first delta of a choice.
    const first = begun.has(choice) ? {} : { role: 'assistant' };
    begun.add(choice);
    return write({
      ...head,
      choices: [{ index: choice, delta: { ...first, ...delta }, logprobs: null, finish_reason: finish }],
    });
  };
  return {
    push(event) {
      switch (event.type) {
        case 'start':
          head = {
            id: event.id,
            object: 'chat.completion.chunk',
            created: event.created,
            model: event.model,
          };
          return '';
        case 'text-delta':
          return chunk(event.choice, { content: event.text }, null);
        case 'reasoning-delta':
          return chunk(event.choice, { reasoning_content: event.text }, null);
        case 'refusal-delta':
          return chunk(event.choice, { refusal: event.text }, null);
        case 'tool-call-delta': {
          const { id, name } = event;
          // Id, type and name only with the first piece: clients take their presence for a new call.
          const described = { ...(name === undefined ? {} : { name }), arguments: event.arguments };
          const opening = id === undefined ? {} : { id, type: 'function' };
          return chunk(
            event.choice,
            { tool_calls: [{ index: event.index, ...opening, function: described }] },
            null,
          );
        }
        case 'finish':
          return chunk(event.choice, {}, rawReasons[event.reason]);
        case 'usage':
          usage = event.usage;
          return '';
        default:
          return write({
            error: { message: event.message, type: 'upstream_error', param: null, code: event.code },
          });
      }
    },
    end() {
      const last =
        includeUsage && usage !== undefined ? write({ ...head, choices: [], usage: encodeUsage(usage) }) : '';
      return `${last}data: [DONE]\n\n`;
    },
  };
}

interface WholeChoice {
  content: string;
  reasoning: string;
  refusal: string;
  calls: Map<number, { id: string; name: string; arguments: string }>;
  finish: string;
}

export function encodeResponse(events: readonly CanonicalEvent[]): Json {
  let head: Json = {};
  let usage: CanonicalUsage | undefined;
  const choices = new Map<number, WholeChoice>();
  const choiceOf = (index: number): WholeChoice => {
    let choice = choices.get(index);
    if (choice === undefined) {
      choice = { content: '', reasoning: '', refusal: '', calls: new Map(), finish: 'stop' };
      choices.set(index, choice);
    }
    return choice;
  };
  for (const event of events) {
    switch (event.type) {
      case 'start':
        head = { id: event.id, object: 'chat.completion', created: event.created, model: event.model };
        break;
      case 'text-delta':
        choiceOf(event.choice).content += event.text;
        break;
      case 'reasoning-delta':
        choiceOf(event.choice).reasoning += event.text;
        break;
      case 'refusal-delta':
        choiceOf(event.choice).refusal += event.text;
        break;
      case 'tool-call-delta': {
        const { calls } = choiceOf(event.choice);
        const call = calls.get(event.index) ?? { id: '', name: '', arguments: '' };
        calls.set(event.index, {
          id: event.id ?? call.id,
          name: event.name ?? call.name,
          arguments: call.arguments + event.arguments,
        });
        break;
      }
      case 'finish':
        choiceOf(event.choice).finish = rawReasons[event.reason];
        break;
      case 'usage':
        usage = event.usage;
        break;
      case 'error':
        return { error: { message: event.message, type: 'upstream_error', param: null, code: event.code } };
    }
  }
  const encoded = [...choices]
    .sort(([left], [right]) => left - right)
    .map(([index, choice]) => encodeChoice(index, choice));
  return { ...head, choices: encoded, ...(usage === undefined ? {} : { usage: encodeUsage(usage) }) };
}

function encodeChoice(index: number, choice: WholeChoice): Json {
  const calls = [...choice.calls]
    .sort(([left], [right]) => left - right)
    .map(([, { id, name, arguments: given }]) => ({
      id,
      type: 'function',
      function: { name, arguments: given === '' ? '{}' : given },
    }));
  return {
    index,
    message: {
      role: 'assistant',
      content: choice.content === '' && calls.length > 0 ? null : choice.content,
      refusal: choice.refusal === '' ? null : choice.refusal,
      ...(choice.reasoning === '' ? {} : { reasoning_content: choice.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    logprobs: null,
    // Some upstreams say stop although they call tools; clients then never run them.
    finish_reason: calls.length > 0 && choice.finish === 'stop' ? 'tool_calls' : choice.finish,
  };
}
