// Answers of OpenAI's Responses API, whole and streamed, to canonical events.
import type { CanonicalEvent, FinishReason } from '#server/models/formats/canonical.ts';
import type { CanonicalError, StreamDecoder } from '#server/models/formats/codec.ts';
import {
  isObject,
  lookup,
  member,
  number,
  objects,
  parseFrame,
  text,
  type Json,
} from '#server/models/formats/json.ts';
import { readOpenAiUsage } from '#server/models/formats/openai-usage.ts';
import { addUnread, outputMember, responseMembers } from '#server/models/formats/unread-members.ts';
import { citationEvent, itemEvents, logprobsOf, reasoningSignature } from './read-items.ts';

function startOf(response: Json): CanonicalEvent {
  const tier = text(response['service_tier']);
  return {
    type: 'start',
    id: text(response['id']),
    model: text(response['model']),
    created: number(response['created_at']) ?? 0,
    ...(tier === '' || tier === 'auto' ? {} : { serviceTier: tier }),
  };
}

const STATUSES: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  invalid_prompt: 400,
  context_length_exceeded: 400,
};

function errorOf(error: Json): CanonicalEvent {
  const code = text(error['code']) || text(error['type']);
  return { type: 'error', message: text(error['message']), code, status: lookup(STATUSES, code) ?? 500 };
}

export function decodeError(body: unknown): CanonicalError | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return undefined;
  return { message: text(error['message']), type: text(error['type']), code: text(error['code']) };
}

function closingEvents(response: Json, hasCalls: boolean): CanonicalEvent[] {
  if (isObject(response['error'])) return [errorOf(response['error'])];
  const why = text(member(response['incomplete_details'])['reason']);
  let reason: FinishReason = hasCalls ? 'tool_calls' : 'stop';
  if (response['status'] === 'incomplete') reason = why === 'content_filter' ? 'content_filter' : 'length';
  const usage = readOpenAiUsage(response['usage']);
  return [
    { type: 'finish', choice: 0, reason, raw: why || text(response['status']) },
    ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
  ];
}

export function decodeResponse(body: unknown, unread?: Set<string>): CanonicalEvent[] {
  if (!isObject(body)) return [];
  if (isObject(body['error']) && !Array.isArray(body['output'])) return [errorOf(body['error'])];
  if (unread !== undefined) addUnread(body, responseMembers, unread);
  const events: CanonicalEvent[] = [startOf(body)];
  let calls = 0;
  for (const item of objects(body['output'])) {
    events.push(...itemEvents(item, calls));
    if (isCall(item)) calls += 1;
  }
  return [...events, ...closingEvents(body, calls > 0)];
}

const isCall = (item: Json): boolean =>
  item['type'] === 'function_call' || item['type'] === 'custom_tool_call';

/** What an output item has sent so far. */
interface OpenItem {
  call: number;
  isCustom: boolean;
  hasDeltas: boolean;
}

class ResponsesStreamDecoder implements StreamDecoder {
  readonly #items = new Map<number, OpenItem>();
  readonly #unread: Set<string> | undefined;
  #calls = 0;
  #hasStarted = false;
  #hasContent = false;

  constructor(unread?: Set<string>) {
    this.#unread = unread;
  }

  push(event: string, data: string): CanonicalEvent[] {
    if (data === '[DONE]' || data === '') return [];
    const body = parseFrame(data);
    if (!isObject(body)) return [];
    const type = text(body['type']) || event;
    switch (type) {
      case 'response.output_text.delta':
        return this.#text(body);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#arguments(body, text(body['delta']));
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta': {
        const thought = text(body['delta']);
        this.#item(body).hasDeltas = true;
        return thought === '' ? [] : [{ type: 'reasoning-delta', choice: 0, text: thought }];
      }
      case 'response.reasoning_summary_part.added':
        // Parts of a summary are paragraphs.
        return (number(body['summary_index']) ?? 0) > 0
          ? [{ type: 'reasoning-delta', choice: 0, text: '\n\n' }]
          : [];
      case 'response.refusal.delta':
        this.#item(body).hasDeltas = true;
        return [{ type: 'refusal-delta', choice: 0, text: text(body['delta']) }];
      case 'response.output_item.added':
        return this.#added(body, member(body['item']));
      case 'response.output_item.done':
        return this.#done(body, member(body['item']));
      case 'response.output_text.annotation.added':
        return citationEvent(member(body['annotation']));
      case 'response.function_call_arguments.done':
        return this.#whole(body, text(body['arguments']));
      case 'response.custom_tool_call_input.done':
        return this.#whole(body, text(body['input']));
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#close(member(body['response']));
      case 'response.created':
      case 'response.in_progress':
        return this.#start(member(body['response']));
      case 'error':
        return [errorOf(isObject(body['error']) ? body['error'] : body)];
      default:
        return type === '' && isObject(body['error']) ? [errorOf(body['error'])] : [];
    }
  }

  end(): CanonicalEvent[] {
    return [];
  }

  #start(response: Json): CanonicalEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    return [startOf(response)];
  }

  #item(body: Json): OpenItem {
    const index = number(body['output_index']) ?? 0;
    let item = this.#items.get(index);
    if (item === undefined) this.#items.set(index, (item = { call: -1, isCustom: false, hasDeltas: false }));
    this.#hasContent = true;
    return item;
  }

  #text(body: Json): CanonicalEvent[] {
    this.#item(body).hasDeltas = true;
    const delta = text(body['delta']);
    const logprobs = logprobsOf(body['logprobs']);
    if (delta === '' && logprobs === undefined) return [];
    return [{ type: 'text-delta', choice: 0, text: delta, ...(logprobs === undefined ? {} : { logprobs }) }];
  }

  #added(body: Json, added: Json): CanonicalEvent[] {
    const item = this.#item(body);
    if (!isCall(added) || item.call >= 0) return [];
    item.call = this.#calls++;
    item.isCustom = added['type'] === 'custom_tool_call';
    const given = text(added['arguments']) || text(added['input']);
    if (given !== '') item.hasDeltas = true;
    return [
      {
        type: 'tool-call-delta',
        choice: 0,
        index: item.call,
        id: text(added['call_id']),
        name: text(added['name']),
        arguments: given,
        ...(item.isCustom ? { isCustom: true } : {}),
      },
    ];
  }

  #arguments(body: Json, piece: string): CanonicalEvent[] {
    const item = this.#item(body);
    if (item.call < 0 || piece === '') return [];
    item.hasDeltas = true;
    const isCustom = item.isCustom ? { isCustom: true } : {};
    return [{ type: 'tool-call-delta', choice: 0, index: item.call, arguments: piece, ...isCustom }];
  }

  /** All arguments at once, from an upstream that sent no deltas. */
  #whole(body: Json, given: string): CanonicalEvent[] {
    const item = this.#item(body);
    if (item.hasDeltas) return [];
    return this.#arguments(body, given);
  }

  #done(body: Json, done: Json): CanonicalEvent[] {
    if (this.#unread !== undefined) addUnread({ output: done }, outputMember, this.#unread);
    const item = this.#item(body);
    if (isCall(done)) {
      const opening = this.#added(body, done);
      if (opening.length > 0 || item.hasDeltas) return opening;
      const given = text(done['arguments']) || text(done['input']);
      return this.#arguments(body, given === '' && !item.isCustom ? '{}' : given);
    }
    if (done['type'] === 'reasoning' && item.hasDeltas) return reasoningSignature(done, true);
    return item.hasDeltas ? [] : itemEvents(done, this.#calls);
  }

  #close(response: Json): CanonicalEvent[] {
    if (this.#unread !== undefined) addUnread(response, responseMembers, this.#unread);
    const opening = this.#start(response);
    // Some compatible upstreams send everything in the last event.
    const missing: CanonicalEvent[] = [];
    if (!this.#hasContent) {
      for (const item of objects(response['output'])) {
        missing.push(...itemEvents(item, this.#calls));
        if (isCall(item)) this.#calls += 1;
      }
    }
    return [...opening, ...missing, ...closingEvents(response, this.#calls > 0)];
  }
}

export const decodeStream = (unread?: Set<string>): StreamDecoder => new ResponsesStreamDecoder(unread);
