// Chat answers of OpenAI and compatible upstreams, whole and streamed, to canonical events.
import type { CanonicalEvent, FinishReason } from '#server/models/formats/canonical.ts';
import type { CanonicalError, StreamDecoder } from '#server/models/formats/codec.ts';
import {
  isObject,
  list,
  member,
  number,
  objects,
  parseFrame,
  text,
  type Json,
} from '#server/models/formats/json.ts';
import { readOpenAiUsage } from '#server/models/formats/openai-usage.ts';
import { addUnread, chatMembers } from '#server/models/formats/unread-members.ts';
import { signatureOf } from './decode-request.ts';
import {
  addAnnotations,
  addAudio,
  addImages,
  argumentsOf,
  readLogprobs,
  textOfParts,
} from './read-content.ts';
import { originOf } from './reasoning-details.ts';

const KNOWN_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter']);

function reasonOf(raw: string): FinishReason {
  if (raw === 'function_call') return 'tool_calls';
  return KNOWN_REASONS.has(raw) ? (raw as FinishReason) : 'other';
}

function startOf(body: Json): CanonicalEvent {
  const tier = text(body['service_tier']);
  return {
    type: 'start',
    id: text(body['id']),
    model: text(body['model']),
    created: number(body['created']) ?? 0,
    ...(tier === '' ? {} : { serviceTier: tier }),
  };
}

export function errorOf(error: Json): CanonicalEvent {
  const status = Number(error['status'] ?? error['code']);
  const kind = text(error['type']);
  return {
    type: 'error',
    message: text(error['message']),
    code: codeOf(error) || kind,
    status: Number.isInteger(status) && status >= 400 && status < 600 ? status : 500,
    ...(kind === '' ? {} : { kind }),
  };
}

const codeOf = (error: Json): string =>
  typeof error['code'] === 'number' ? String(error['code']) : text(error['code']);

export function decodeError(body: unknown): CanonicalError | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  if (typeof error === 'string') return { message: error, type: '', code: '' };
  if (!isObject(error)) return undefined;
  return { message: text(error['message']), type: text(error['type']), code: codeOf(error) };
}

/** The state of one choice that its end needs. */
class ChoiceState {
  /** Ids of calls by the upstream's index. */
  readonly calls: {
    id: string;
    upstreamIndex: number;
    hasName: boolean;
    hasArguments: boolean;
    isCustom: boolean;
  }[] = [];
  hasDetails = false;
  /** The plain reasoning text so far. */
  thought = '';
  summaryId: string | undefined;
}

class Reader {
  readonly #choices = new Map<number, ChoiceState>();

  events(body: Json, holder: 'delta' | 'message'): CanonicalEvent[] {
    const events: CanonicalEvent[] = [];
    const choices = list(body['choices']);
    for (let position = 0; position < choices.length; position += 1) {
      const choice = choices[position];
      if (!isObject(choice)) continue;
      const index = number(choice['index']) ?? position;
      const content = choice[holder];
      if (isObject(content)) this.#content(index, content, choice['logprobs'], events);
      else if (typeof choice['text'] === 'string' && choice['text'] !== '')
        events.push({ type: 'text-delta', choice: index, text: choice['text'] });
      const raw = text(choice['finish_reason']);
      if (raw !== '') this.#finish(index, raw, text(choice['stop_reason']), events);
    }
    return events;
  }

  #state(choice: number): ChoiceState {
    let state = this.#choices.get(choice);
    if (state === undefined) this.#choices.set(choice, (state = new ChoiceState()));
    return state;
  }

  /** One delta or one whole message: same names, same order. */
  #content(choice: number, content: Json, logprobs: unknown, events: CanonicalEvent[]): void {
    const details = content['reasoning_details'];
    if (Array.isArray(details) && details.length > 0) this.#details(choice, objects(details), events);
    const state = this.#state(choice);
    const reasoning = state.hasDetails
      ? ''
      : text(content['reasoning_content']) || text(content['reasoning']);
    if (reasoning !== '') {
      state.thought += reasoning;
      events.push({ type: 'reasoning-delta', choice, text: reasoning });
    }
    this.#text(choice, content, logprobs, events);
    const refusal = text(content['refusal']);
    if (refusal !== '') events.push({ type: 'refusal-delta', choice, text: refusal });
    if (Array.isArray(content['tool_calls'])) {
      for (const [position, call] of objects(content['tool_calls']).entries())
        this.#call(choice, call, position, events);
    }
    if (isObject(content['function_call'])) {
      const call = { function: content['function_call'], id: text(content['function_call']['name']) };
      this.#call(choice, call, 0, events);
    }
    if (Array.isArray(content['annotations']))
      addAnnotations(choice, objects(content['annotations']), events);
    if (Array.isArray(content['images'])) addImages(choice, objects(content['images']), events);
    if (isObject(content['audio'])) addAudio(choice, content['audio'], events);
  }

  #text(choice: number, content: Json, logprobs: unknown, events: CanonicalEvent[]): void {
    const given = content['content'];
    const delta = typeof given === 'string' ? given : textOfParts(choice, given, events);
    const { signature } = signatureOf(content);
    if (delta === '' && signature === undefined) return;
    const tokens = isObject(logprobs) ? readLogprobs(logprobs['content']) : [];
    events.push({
      type: 'text-delta',
      choice,
      text: delta,
      ...(tokens.length === 0 ? {} : { logprobs: tokens }),
      ...(signature === undefined ? {} : { signature }),
    });
  }

  #details(choice: number, details: readonly Json[], events: CanonicalEvent[]): void {
    const state = this.#state(choice);
    // A detail may come with every piece of text, or once for the plain text before it.
    if (state.thought === '') state.hasDetails = true;
    for (const detail of details) {
      const origin = originOf(detail['format']);
      const content = text(detail['text']) || text(detail['summary']);
      if (content !== '' && content !== state.thought)
        events.push({ type: 'reasoning-delta', choice, text: content });
      if (detail['type'] === 'reasoning.summary') state.summaryId = text(detail['id']);
      if (origin === undefined) continue;
      const id = text(detail['id']) === '' ? {} : { id: text(detail['id']) };
      const data = text(detail['data']);
      // Encrypted content after a summary is its signature; without one it is redacted reasoning.
      const isSummed = data !== '' && state.summaryId !== undefined && state.summaryId === text(detail['id']);
      const signature = isSummed ? data : text(detail['signature']);
      if (signature !== '') {
        state.thought = '';
        events.push({ type: 'reasoning-signature', choice, signature, origin, ...id });
      } else if (data !== '') events.push({ type: 'reasoning-redacted', choice, data, origin, ...id });
    }
  }

  /** Calls are told apart by index; if the upstream repeats one index, by a new id. */
  #call(choice: number, call: Json, position: number, events: CanonicalEvent[]): void {
    const { calls } = this.#state(choice);
    const upstreamIndex = number(call['index']) ?? position;
    const id = text(call['id']);
    const isCustom = call['type'] === 'custom' || isObject(call['custom']);
    const described = member(isCustom ? call['custom'] : call['function']);
    const name = text(described['name']);
    let index = calls.findLastIndex((known) => known.upstreamIndex === upstreamIndex);
    const known = calls[index];
    const isNew = known === undefined || (id !== '' && known.id !== '' && known.id !== id);
    if (isNew) {
      index = calls.length;
      calls.push({ id, upstreamIndex, hasName: false, hasArguments: false, isCustom });
    }
    const given = isCustom ? text(described['input']) : argumentsOf(described);
    const state = calls[index];
    // Name and id are sent once, however often the upstream repeats them.
    const isNamed = name !== '' && state?.hasName === false;
    const isIdentified = id !== '' && (isNew || known.id === '');
    if (state !== undefined) {
      if (given !== '') state.hasArguments = true;
      if (isNamed) state.hasName = true;
      if (isIdentified) state.id = id;
    }
    events.push({
      type: 'tool-call-delta',
      choice,
      index,
      ...(isIdentified ? { id } : {}),
      ...(isNamed ? { name } : {}),
      arguments: given,
      ...(isCustom ? { isCustom } : {}),
      ...signatureOf(call),
    });
  }

  /** Some compatible upstreams name the stop sequence. */
  #finish(choice: number, raw: string, stopSequence: string, events: CanonicalEvent[]): void {
    const { calls } = this.#state(choice);
    for (const [index, call] of calls.entries()) {
      if (call.hasArguments || call.isCustom) continue;
      call.hasArguments = true;
      events.push({ type: 'tool-call-delta', choice, index, arguments: '{}' });
    }
    const reported = reasonOf(raw);
    const reason = reported === 'stop' && calls.length > 0 ? 'tool_calls' : reported;
    const hit = reason === 'stop' && stopSequence !== '' ? { stopSequence } : {};
    events.push({ type: 'finish', choice, reason, raw, ...hit });
  }
}

const isRefusal = (body: Json): boolean => isObject(body['error']) && !Array.isArray(body['choices']);

export function decodeResponse(body: unknown, unread?: Set<string>): CanonicalEvent[] {
  if (!isObject(body)) return [];
  if (isRefusal(body)) return [errorOf(member(body['error']))];
  if (unread !== undefined) addUnread(body, chatMembers, unread);
  const usage = readOpenAiUsage(body['usage']);
  return [
    startOf(body),
    ...new Reader().events(body, 'message'),
    ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
  ];
}

export function decodeStream(unread?: Set<string>): StreamDecoder {
  const reader = new Reader();
  let hasStarted = false;
  return {
    push(_event, data) {
      if (data === '[DONE]' || data === '') return [];
      const body = parseFrame(data);
      if (!isObject(body)) return [];
      if (isRefusal(body)) return [errorOf(member(body['error']))];
      if (unread !== undefined) addUnread(body, chatMembers, unread);
      const events = reader.events(body, 'delta');
      const usage = body['usage'] === undefined ? undefined : readOpenAiUsage(body['usage']);
      if (usage !== undefined) events.push({ type: 'usage', usage });
      // A chunk without a choice (the report of a filter, usage) begins no answer.
      if (!hasStarted && list(body['choices']).length > 0) {
        hasStarted = true;
        events.unshift(startOf(body));
      }
      return events;
    },
    end: () => [],
  };
}
