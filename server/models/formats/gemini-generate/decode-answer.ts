// Answers of Gemini's generateContent, whole and streamed, to canonical events. A chunk has the shape of a whole answer; a
// call always comes in one piece.
import type { CanonicalEvent, CanonicalLogprob, FinishReason } from '#server/models/formats/canonical.ts';
import type { StreamDecoder } from '#server/models/formats/codec.ts';
import {
  isObject,
  lookup,
  list,
  member,
  number,
  objects,
  parseFrame,
  text,
  type Json,
} from '#server/models/formats/json.ts';
import { addUnread, geminiMembers } from '#server/models/formats/unread-members.ts';
import { decodeErrorEvent } from './errors.ts';
import { field } from './fields.ts';
import { groundingEvents } from './grounding.ts';
import { readGeminiUsage } from './usage.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
};

class Reader {
  #hasStarted = false;
  #hasFinished = false;
  #responseId = '';
  readonly #calls = new Map<number, number>();
  readonly #texts = new Map<number, string>();
  readonly #unread: Set<string> | undefined;

  constructor(unread?: Set<string>) {
    this.#unread = unread;
  }

  events(body: Json): CanonicalEvent[] {
    if (isObject(body['error'])) return [decodeErrorEvent(body['error'])];
    if (this.#unread !== undefined) addUnread(body, geminiMembers, this.#unread);
    const events: CanonicalEvent[] = [];
    const candidates = list(body['candidates']);
    // Only a candidate or a blocked prompt begins an answer.
    if (!this.#hasStarted && (candidates.length > 0 || isObject(body['promptFeedback']))) {
      this.#hasStarted = true;
      this.#responseId = text(body['responseId']);
      events.push(startOf(body));
    }
    for (let position = 0; position < candidates.length; position += 1) {
      const candidate = candidates[position];
      if (isObject(candidate)) this.#candidate(candidate, position, events);
    }
    const blocked = text(member(body['promptFeedback'])['blockReason']);
    if (blocked !== '' && candidates.length === 0)
      this.#blocked(member(body['promptFeedback']), blocked, events);
    if (this.#hasFinished) {
      const usage = readGeminiUsage(body['usageMetadata']);
      if (usage !== undefined) events.push({ type: 'usage', usage });
    }
    return events;
  }

  /** The prompt was blocked: there is no candidate. */
  #blocked(feedback: Json, raw: string, events: CanonicalEvent[]): void {
    const message = text(feedback['blockReasonMessage']);
    if (message !== '') events.push({ type: 'refusal-delta', choice: 0, text: message });
    events.push({ type: 'finish', choice: 0, reason: 'content_filter', raw });
    this.#hasFinished = true;
  }

  #candidate(candidate: Json, position: number, events: CanonicalEvent[]): void {
    const choice = number(candidate['index']) ?? position;
    const logprobs = logprobsOf(candidate['logprobsResult']);
    const parts = list(member(candidate['content'])['parts']);
    for (const part of parts) if (isObject(part)) this.#part(choice, part, logprobs, events);
    if (isObject(candidate['groundingMetadata']))
      events.push(...groundingEvents(choice, candidate['groundingMetadata'], this.#texts.get(choice) ?? ''));
    const raw = text(candidate['finishReason']);
    if (raw === '' || raw === 'FINISH_REASON_UNSPECIFIED') return;
    this.#hasFinished = true;
    const reported = lookup(REASONS, raw) ?? 'other';
    const hasCalls = (this.#calls.get(choice) ?? 0) > 0;
    events.push({
      type: 'finish',
      choice,
      reason: reported === 'stop' && hasCalls ? 'tool_calls' : reported,
      raw,
    });
  }

  #part(
    choice: number,
    part: Json,
    logprobs: CanonicalLogprob[] | undefined,
    events: CanonicalEvent[],
  ): void {
    const signature = text(part['thoughtSignature']);
    const signed = signature === '' ? {} : { signature };
    const content = part['text'];
    if (typeof content === 'string') {
      if (part['thought'] === true) {
        if (content !== '') events.push({ type: 'reasoning-delta', choice, text: content });
        if (signature !== '')
          events.push({ type: 'reasoning-signature', choice, signature, origin: 'google' });
      } else if (content !== '' || signature !== '') {
        this.#texts.set(choice, (this.#texts.get(choice) ?? '') + content);
        events.push({
          type: 'text-delta',
          choice,
          text: content,
          ...(logprobs === undefined ? {} : { logprobs }),
          ...signed,
        });
      }
      return;
    }
    if (isObject(part['functionCall'])) this.#call(choice, part['functionCall'], signed, events);
    else if (isObject(field(part, 'inlineData')))
      addMedia(choice, member(field(part, 'inlineData')), signed, events);
    else if (Object.keys(part).length > 0)
      events.push({ type: 'provider-item', choice, origin: 'google', item: part });
  }

  #call(choice: number, call: Json, signed: { signature?: string }, events: CanonicalEvent[]): void {
    const index = this.#calls.get(choice) ?? 0;
    this.#calls.set(choice, index + 1);
    events.push({
      type: 'tool-call-delta',
      choice,
      index,
      id: text(call['id']) || this.#callId(choice, index),
      name: text(call['name']),
      arguments: JSON.stringify(call['args'] ?? {}),
      ...signed,
    });
  }

  /** Gemini's calls may lack ids; one is made from the answer's id, so that it is unique between turns. */
  #callId(choice: number, index: number): string {
    this.#responseId ||= crypto.randomUUID();
    return `call_${this.#responseId.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 28)}_${choice === 0 ? '' : choice}${index}`;
  }
}

function startOf(body: Json): CanonicalEvent {
  const created = Date.parse(text(body['createTime']));
  return {
    type: 'start',
    id: text(body['responseId']),
    model: text(body['modelVersion']),
    created: Number.isNaN(created) ? 0 : Math.floor(created / 1000),
  };
}

function addMedia(
  choice: number,
  blob: Json,
  signed: { signature?: string },
  events: CanonicalEvent[],
): void {
  const mediaType = text(field(blob, 'mimeType'));
  const data = text(blob['data']);
  if (mediaType.startsWith('audio/')) events.push({ type: 'audio-delta', choice, data, mediaType });
  else events.push({ type: 'image', choice, mediaType: mediaType || 'image/png', data, ...signed });
}

function logprobsOf(result: unknown): CanonicalLogprob[] | undefined {
  if (!isObject(result)) return undefined;
  const tops = objects(result['topCandidates']);
  const chosen = objects(result['chosenCandidates']).map((candidate, index) => {
    const top = objects(tops[index]?.['candidates']).map(tokenOf);
    return { ...tokenOf(candidate), ...(top.length === 0 ? {} : { top }) };
  });
  return chosen.length === 0 ? undefined : chosen;
}

const tokenOf = (entry: Json): { token: string; logprob: number } => ({
  token: text(entry['token']),
  logprob: number(entry['logProbability']) ?? 0,
});

export function decodeResponse(body: unknown, unread?: Set<string>): CanonicalEvent[] {
  const reader = new Reader(unread);
  if (Array.isArray(body)) return objects(body).flatMap((chunk) => reader.events(chunk));
  if (!isObject(body)) return [];
  const events = reader.events(body);
  if (!events.some((event) => event.type === 'usage')) {
    const usage = readGeminiUsage(body['usageMetadata']);
    if (usage !== undefined) events.push({ type: 'usage', usage });
  }
  return events;
}

export function decodeStream(unread?: Set<string>): StreamDecoder {
  const reader = new Reader(unread);
  return {
    push(_event, data) {
      if (data === '' || data === '[DONE]') return [];
      const body = parseFrame(data);
      return isObject(body) ? reader.events(body) : [];
    },
    end: () => [],
  };
}
