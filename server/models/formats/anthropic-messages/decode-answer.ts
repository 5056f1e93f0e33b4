// Answers of Anthropic's Messages API, whole and streamed, to canonical events.
import type { CanonicalEvent, FinishReason } from '#server/models/formats/canonical.ts';
import type { StreamDecoder } from '#server/models/formats/codec.ts';
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
import { addUnread, messageMembers } from '#server/models/formats/unread-members.ts';
import { decodeCitation, decodeCitations } from './blocks.ts';
import { decodeErrorEvent } from './errors.ts';
import { mergeAnthropicUsage, readAnthropicUsage } from './usage.ts';

const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

function startOf(message: Json): CanonicalEvent {
  const tier = text(member(message['usage'])['service_tier']);
  return {
    type: 'start',
    id: text(message['id']),
    model: text(message['model']),
    created: 0,
    ...(tier === '' ? {} : { serviceTier: tier }),
  };
}

function finishEvents(ending: Json, hasCalls: boolean): CanonicalEvent[] {
  const raw = text(ending['stop_reason']);
  if (raw === '') return [];
  const reported = lookup(REASONS, raw) ?? 'other';
  const stopSequence = text(ending['stop_sequence']);
  const explanation = text(member(ending['stop_details'])['explanation']);
  return [
    ...(explanation === '' ? [] : [{ type: 'refusal-delta', choice: 0, text: explanation } as const]),
    {
      type: 'finish',
      choice: 0,
      reason: reported === 'stop' && hasCalls ? 'tool_calls' : reported,
      raw,
      ...(stopSequence === '' ? {} : { stopSequence }),
    },
  ];
}

export function decodeResponse(body: unknown, unread?: Set<string>): CanonicalEvent[] {
  if (!isObject(body)) return [];
  if (body['type'] === 'error' || (isObject(body['error']) && !Array.isArray(body['content'])))
    return [decodeErrorEvent(member(body['error']))];
  if (unread !== undefined) addUnread(body, messageMembers, unread);
  const events: CanonicalEvent[] = [startOf(body)];
  let calls = 0;
  let offset = 0;
  for (const block of objects(body['content'])) {
    switch (block['type']) {
      case 'text': {
        const content = text(block['text']);
        if (content !== '') events.push({ type: 'text-delta', choice: 0, text: content });
        const place = { start: offset, end: (offset += content.length) };
        for (const citation of decodeCitations(block['citations']))
          events.push({ type: 'citation', choice: 0, citation: { ...citation, ...place } });
        break;
      }
      case 'tool_use':
        events.push({
          type: 'tool-call-delta',
          choice: 0,
          index: calls++,
          id: text(block['id']),
          name: text(block['name']),
          arguments: JSON.stringify(block['input'] ?? {}),
        });
        break;
      default:
        events.push(
          ...(thoughtEvents(block) ?? [
            { type: 'provider-item', choice: 0, origin: 'anthropic', item: block },
          ]),
        );
    }
  }
  events.push(...finishEvents(body, calls > 0));
  const usage = readAnthropicUsage(body['usage']);
  if (usage !== undefined) events.push({ type: 'usage', usage });
  return events;
}

function thoughtEvents(block: Json): CanonicalEvent[] | undefined {
  if (block['type'] === 'redacted_thinking')
    return [{ type: 'reasoning-redacted', choice: 0, data: text(block['data']), origin: 'anthropic' }];
  if (block['type'] !== 'thinking') return undefined;
  const thought = text(block['thinking']);
  const signature = text(block['signature']);
  return [
    ...(thought === '' ? [] : [{ type: 'reasoning-delta', choice: 0, text: thought } as const]),
    ...(signature === ''
      ? []
      : [{ type: 'reasoning-signature', choice: 0, signature, origin: 'anthropic' } as const]),
  ];
}

/** A block that has started and not stopped. */
interface OpenBlock {
  type: string;
  /** The index among the calls; -1 for other blocks. */
  call: number;
  start: Json;
  /** The JSON input of a call or server tool so far. */
  json: string;
  textStart: number;
  citations: Json[];
}

class AnthropicStreamDecoder implements StreamDecoder {
  readonly #open = new Map<number, OpenBlock>();
  readonly #known = new Set<string>();
  #calls = 0;
  #offset = 0;
  #usage: Json = {};
  readonly #unread: Set<string> | undefined;

  constructor(unread?: Set<string>) {
    this.#unread = unread;
  }

  #look(message: Json): void {
    if (this.#unread !== undefined) addUnread(message, messageMembers, this.#unread);
  }

  push(_event: string, data: string): CanonicalEvent[] {
    const body = parseFrame(data);
    if (!isObject(body)) return [];
    switch (body['type']) {
      case 'content_block_delta':
        return this.#delta(number(body['index']) ?? 0, member(body['delta']));
      case 'content_block_start':
        return this.#begin(number(body['index']) ?? 0, member(body['content_block']));
      case 'content_block_stop':
        return this.#stop(number(body['index']) ?? 0);
      case 'message_start': {
        const message = member(body['message']);
        this.#look(message);
        this.#usage = member(message['usage']);
        return [startOf(message), ...this.#given(objects(message['content']))];
      }
      case 'message_delta':
        return this.#messageDelta(body);
      case 'error':
        return [decodeErrorEvent(member(body['error']))];
      default:
        // Pings and future event types.
        return [];
    }
  }

  end(): CanonicalEvent[] {
    return [];
  }

  /** Blocks that are whole at the start of the message; negative places are free. */
  #given(blocks: readonly Json[]): CanonicalEvent[] {
    return blocks.flatMap((block, place) => [...this.#begin(-1 - place, block), ...this.#stop(-1 - place)]);
  }

  #begin(index: number, block: Json): CanonicalEvent[] {
    this.#look({ content: block });
    const type = text(block['type']);
    if (type === 'tool_use') {
      // The same call may come again as a block of its own.
      const id = text(block['id']);
      if (id !== '' && this.#known.has(id)) return [];
      this.#known.add(id);
    }
    const call = type === 'tool_use' ? this.#calls++ : -1;
    const citations = objects(block['citations']);
    this.#open.set(index, { type, call, start: block, json: '', textStart: this.#offset, citations });
    if (type === 'tool_use') {
      const id = text(block['id']);
      return [
        { type: 'tool-call-delta', choice: 0, index: call, id, name: text(block['name']), arguments: '' },
      ];
    }
    if (type === 'text') return this.#text(text(block['text']));
    return thoughtEvents(block) ?? [];
  }

  #text(delta: string): CanonicalEvent[] {
    if (delta === '') return [];
    this.#offset += delta.length;
    return [{ type: 'text-delta', choice: 0, text: delta }];
  }

  #delta(index: number, delta: Json): CanonicalEvent[] {
    switch (delta['type']) {
      case 'text_delta':
        return this.#text(text(delta['text']));
      case 'input_json_delta': {
        const block = this.#open.get(index);
        const piece = text(delta['partial_json']);
        if (block === undefined || piece === '') return [];
        if (block.call < 0) {
          block.json += piece;
          return [];
        }
        block.json = '…';
        return [{ type: 'tool-call-delta', choice: 0, index: block.call, arguments: piece }];
      }
      case 'thinking_delta': {
        const thought = text(delta['thinking']);
        return thought === '' ? [] : [{ type: 'reasoning-delta', choice: 0, text: thought }];
      }
      case 'signature_delta': {
        const signature = text(delta['signature']);
        return signature === ''
          ? []
          : [{ type: 'reasoning-signature', choice: 0, signature, origin: 'anthropic' }];
      }
      case 'citations_delta': {
        if (isObject(delta['citation'])) this.#open.get(index)?.citations.push(delta['citation']);
        return [];
      }
      default:
        this.#look({ [text(delta['type']) || 'delta']: delta });
        return [];
    }
  }

  #stop(index: number): CanonicalEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) return [];
    this.#open.delete(index);
    if (block.type === 'text') {
      const place = { start: block.textStart, end: this.#offset };
      return block.citations.map((raw) => ({
        type: 'citation',
        choice: 0,
        citation: { ...decodeCitation(raw), ...place },
      }));
    }
    if (block.call >= 0) {
      // A call without arguments sent none, or all of them at its start.
      if (block.json !== '') return [];
      const given = JSON.stringify(block.start['input'] ?? {});
      return [{ type: 'tool-call-delta', choice: 0, index: block.call, arguments: given }];
    }
    if (block.type === 'thinking' || block.type === 'redacted_thinking') return [];
    const item = block.json === '' ? block.start : { ...block.start, input: parsed(block.json) };
    return [{ type: 'provider-item', choice: 0, origin: 'anthropic', item }];
  }

  #messageDelta(body: Json): CanonicalEvent[] {
    const { delta, ...beside } = body;
    this.#look({ ...beside, ...member(delta) });
    const events = finishEvents(member(delta), this.#calls > 0);
    this.#usage = mergeAnthropicUsage(this.#usage, body['usage']);
    const usage = readAnthropicUsage(this.#usage);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    return events;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

export const decodeStream = (unread?: Set<string>): StreamDecoder => new AnthropicStreamDecoder(unread);
