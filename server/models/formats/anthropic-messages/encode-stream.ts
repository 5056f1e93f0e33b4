// Canonical events to a stream of Anthropic's Messages API: blocks one after another, each with its own index. Interleaved
// calls are sent one by one; pieces of a later call wait until the earlier call is complete.
import type { EncodeOptions, StreamEncoder } from '#server/models/formats/codec.ts';
import type { Json } from '#server/models/formats/json.ts';
import {
  OneAnswerEncoder,
  type ContentEvent,
  type EventOf,
} from '#server/models/formats/one-answer-encoder.ts';
import { encodeSignature, type ReasoningSignature } from '#server/models/formats/signatures.ts';
import { nameGiver } from '#server/models/formats/tool-names.ts';
import { encodeErrorBody } from './errors.ts';
import { encodeCitation, encodePicture, messageHead, stopOf } from './pieces.ts';
import { encodeUsage } from './usage.ts';

const write = (event: string, data: string): string => `event: ${event}\ndata: ${data}\n\n`;

class AnthropicStreamEncoder extends OneAnswerEncoder {
  readonly #options: EncodeOptions;
  readonly #nameOf: (name: string) => string;
  #next = 0;
  /** The open block of text or reasoning. */
  #current: { kind: 'text' | 'thinking'; index: number; prefix: string } | undefined;
  /** The call being sent. */
  #call: OpenCall | undefined;
  readonly #waiting = new Map<number, WaitingCall>();
  #hasCalled = false;
  #hasRefused = false;
  #finish: EventOf<'finish'> | undefined;

  constructor(options: EncodeOptions) {
    super();
    this.#options = options;
    this.#nameOf = nameGiver(options.request);
  }

  protected fail(event: EventOf<'error'>): string {
    return write('error', JSON.stringify(encodeErrorBody(event)));
  }

  protected close(): string {
    const usage = this.usage === undefined ? { output_tokens: 0 } : encodeUsage(this.usage);
    const { reason, sequence } = stopOf(this.#finish, this.#hasCalled, this.#hasRefused);
    const delta = { stop_reason: reason, stop_sequence: sequence };
    return (
      this.#closeBlocks() +
      write('message_delta', JSON.stringify({ type: 'message_delta', delta, usage })) +
      write('message_stop', '{"type":"message_stop"}')
    );
  }

  protected open(event: EventOf<'start'> | undefined): string {
    const usage = {
      input_tokens: this.#options.estimatedInput ?? 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    };
    const nothing = { content: [], stop_reason: null, stop_sequence: null, usage };
    const message = { ...messageHead(event?.id ?? '', event?.model ?? '', this.#options), ...nothing };
    return write('message_start', JSON.stringify({ type: 'message_start', message }));
  }

  protected content(event: ContentEvent): string {
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? '' : this.#text(event.text);
      case 'reasoning-delta':
        return event.text === '' ? '' : this.#add('thinking', event.text);
      case 'reasoning-signature':
        return this.#sign(event);
      case 'reasoning-redacted': {
        const { data, origin, id } = event;
        const kept = encodeSignature({ redacted: data, origin, id }, 'anthropic');
        return this.#whole({ type: 'redacted_thinking', data: kept });
      }
      case 'refusal-delta':
        this.#hasRefused = true;
        return event.text === '' ? '' : this.#text(event.text);
      case 'tool-call-delta':
        return this.#callDelta(event);
      case 'citation':
        return this.#citation(event);
      case 'provider-item':
        return event.origin === 'anthropic' ? this.#whole(event.item) : '';
      case 'audio-delta':
        return event.transcript === undefined ? '' : this.#text(event.transcript);
      case 'finish':
        this.#finish = event;
        return '';
      default: {
        const { signature } = event;
        const signed = signature === undefined ? '' : this.#sign({ signature, origin: 'google' });
        return signed + this.#whole(encodePicture(event));
      }
    }
  }

  #text(delta: string): string {
    return this.#add('text', delta);
  }

  #add(kind: 'text' | 'thinking', delta: string): string {
    let opening = '';
    if (this.#current?.kind !== kind) opening = this.#begin(kind);
    return `${opening}${this.#current?.prefix ?? ''}${JSON.stringify(delta)}}}\n\n`;
  }

  #begin(kind: 'text' | 'thinking'): string {
    const closing = this.#closeBlocks();
    const index = this.#next;
    this.#next += 1;
    this.#current = { kind, index, prefix: deltaPrefix(index, `${kind}_delta`, kind) };
    const block =
      kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
    return closing + blockStart(index, block);
  }

  #sign(issued: ReasoningSignature): string {
    const opening = this.#current?.kind === 'thinking' ? '' : this.#begin('thinking');
    const signature = encodeSignature(issued, 'anthropic');
    const delta = { type: 'signature_delta', signature };
    // A signature ends its block; more reasoning needs a new one.
    return opening + blockDelta(this.#current?.index ?? 0, delta) + this.#closeCurrent();
  }

  #whole(block: Json): string {
    const closing = this.#closeBlocks();
    const index = this.#next;
    this.#next += 1;
    return closing + blockStart(index, block) + blockStop(index);
  }

  #citation(event: EventOf<'citation'>): string {
    const citation = encodeCitation(event.citation);
    if (citation === undefined || this.#current?.kind !== 'text') return '';
    return blockDelta(this.#current.index, { type: 'citations_delta', citation });
  }

  #callDelta(event: EventOf<'tool-call-delta'>): string {
    this.#hasCalled = true;
    const open = this.#call;
    if (open?.call === event.index) {
      if (event.arguments === '') return '';
      const given = open.isCustom ? insideText(event.arguments) : event.arguments;
      open.json += given;
      const piece = `${open.prefix}${JSON.stringify(given)}}}\n\n`;
      return this.#waiting.size === 0 ? piece : piece + this.#advance();
    }
    const waiting = this.#waiting.get(event.index);
    if (waiting !== undefined) {
      waiting.json += event.arguments;
      return '';
    }
    const { id = `call_${event.index}`, name = '', signature } = event;
    const call: WaitingCall = {
      id,
      name,
      signature,
      json: event.arguments,
      isCustom: event.isCustom === true,
    };
    if (open !== undefined && !isWhole(open.json)) {
      this.#waiting.set(event.index, call);
      return '';
    }
    return this.#openCall(event.index, call);
  }

  #openCall(number: number, { id, name, signature, json: given, isCustom }: WaitingCall): string {
    let written = this.#closeCall();
    if (signature !== undefined) written += this.#sign({ signature, origin: 'google' });
    written += this.#closeCurrent();
    const index = this.#next;
    this.#next += 1;
    const prefix = deltaPrefix(index, 'input_json_delta', 'partial_json');
    const json = isCustom ? `${CUSTOM_START}${insideText(given)}` : given;
    this.#call = { call: number, index, prefix, json, isCustom };
    const block = { type: 'tool_use', id, name: this.#nameOf(name), input: {} };
    return `${written}${blockStart(index, block)}${prefix}${JSON.stringify(json)}}}\n\n`;
  }

  /** Sends waiting calls, up to the first incomplete one. */
  #advance(): string {
    let written = '';
    for (const [number, call] of this.#waiting) {
      if (this.#call !== undefined && !isWhole(this.#call.json)) break;
      this.#waiting.delete(number);
      written += this.#openCall(number, call);
    }
    return written;
  }

  #closeCurrent(): string {
    if (this.#current === undefined) return '';
    const closing = blockStop(this.#current.index);
    this.#current = undefined;
    return closing;
  }

  #closeCall(): string {
    if (this.#call === undefined) return '';
    const { index, prefix, isCustom } = this.#call;
    const rest = isCustom ? `${prefix}${JSON.stringify(CUSTOM_END)}}}\n\n` : '';
    this.#call = undefined;
    return rest + blockStop(index);
  }

  /** Ends every block and sends what still waits. */
  #closeBlocks(): string {
    let written = this.#closeCurrent();
    for (const [number, call] of this.#waiting) {
      this.#waiting.delete(number);
      written += this.#openCall(number, call);
    }
    return written + this.#closeCall();
  }
}

// The plain text of a custom tool is one text in an object, as `wrapCustom` writes it whole.
const CUSTOM_START = '{"input":"';
const CUSTOM_END = '"}';
const insideText = (piece: string): string => JSON.stringify(piece).slice(1, -1);

interface OpenCall {
  call: number;
  index: number;
  prefix: string;
  json: string;
  isCustom: boolean;
}

interface WaitingCall {
  id: string;
  name: string;
  signature: string | undefined;
  json: string;
  isCustom: boolean;
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

const deltaPrefix = (index: number, type: string, member: string): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":`;

const blockStart = (index: number, block: Json): string =>
  write(
    'content_block_start',
    `{"type":"content_block_start","index":${index},"content_block":${JSON.stringify(block)}}`,
  );

const blockDelta = (index: number, delta: Json): string =>
  write(
    'content_block_delta',
    `{"type":"content_block_delta","index":${index},"delta":${JSON.stringify(delta)}}`,
  );

const blockStop = (index: number): string =>
  write('content_block_stop', `{"type":"content_block_stop","index":${index}}`);

export const encodeStream = (options: EncodeOptions): StreamEncoder => new AnthropicStreamEncoder(options);
