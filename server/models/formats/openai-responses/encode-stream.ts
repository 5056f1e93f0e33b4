// Canonical events to a stream of OpenAI's Responses API: created, in progress, then each item added, filled and done, and
// the whole response at the end. Events are numbered; clients refuse events of items that were not added.
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { EncodeOptions, StreamEncoder } from '#server/models/formats/codec.ts';
import type { Json } from '#server/models/formats/json.ts';
import {
  OneAnswerEncoder,
  type ContentEvent,
  type EventOf,
} from '#server/models/formats/one-answer-encoder.ts';
import { encodeSignature, type ReasoningSignature } from '#server/models/formats/signatures.ts';
import { toolFinder } from '#server/models/formats/tool-names.ts';
import { clientCallOf } from './client-tools.ts';
import { ClientCallItem } from './open-client-call.ts';
import { CallItem, MessageItem, ReasoningItem, type OpenItem, type Writer } from './open-items.ts';
import {
  annotationOf,
  endingOf,
  errorCode,
  headOf,
  responseObject,
  type ResponseHead,
} from './response-object.ts';

class ResponsesStreamEncoder extends OneAnswerEncoder implements Writer {
  readonly #options: EncodeOptions;
  readonly #find: ReturnType<typeof toolFinder>;
  #sequence = 0;
  #head: ResponseHead | undefined;
  /** Items by output index, set when done. */
  readonly #output: Json[] = [];
  #current: MessageItem | ReasoningItem | undefined;
  readonly #calls = new Map<number, CallItem | ClientCallItem>();
  #finish: EventOf<'finish'> | undefined;

  constructor(options: EncodeOptions) {
    super();
    this.#options = options;
    this.#find = toolFinder(options.request);
  }

  protected close(): string {
    const closing = this.#closeAll();
    const { status, incomplete } = endingOf(this.#finish?.reason ?? 'stop');
    const response = this.#response(status, { incomplete, usage: this.usage });
    return closing + this.write(`response.${status}`, `"response":${JSON.stringify(response)}`);
  }

  /** One event; `members` is the inner JSON of its object. */
  write(type: string, members: string): string {
    const sequence = this.#sequence;
    this.#sequence += 1;
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${members}}\n\n`;
  }

  #response(
    status: 'in_progress' | 'completed' | 'incomplete' | 'failed',
    rest: { incomplete?: string; usage?: CanonicalUsage; error?: Json } = {},
  ): Json {
    const head = this.#head ?? headOf(undefined, this.#options);
    // An incomplete item is not part of the whole response.
    const output = this.#output.filter((item) => 'type' in item);
    return responseObject(head, status, { output, ...rest }, this.#options);
  }

  protected open(event: EventOf<'start'> | undefined): string {
    this.#head = headOf(event, this.#options);
    const response = `"response":${JSON.stringify(this.#response('in_progress'))}`;
    return this.write('response.created', response) + this.write('response.in_progress', response);
  }

  protected fail(event: EventOf<'error'>): string {
    const opening = this.opening();
    const code = errorCode(event);
    const failure = `"code":${JSON.stringify(code)},"message":${JSON.stringify(event.message)},"param":null`;
    const response = this.#response('failed', {
      error: { code, message: event.message },
      usage: this.usage,
    });
    return (
      opening +
      this.write('error', failure) +
      this.write('response.failed', `"response":${JSON.stringify(response)}`)
    );
  }

  protected content(event: ContentEvent): string {
    switch (event.type) {
      case 'text-delta':
        if (event.text === '' && event.logprobs === undefined) return '';
        return this.#message((item) => item.text(event.text, event.logprobs));
      case 'reasoning-delta':
        return event.text === '' ? '' : this.#reasoning((item) => item.delta(event.text));
      case 'reasoning-signature':
        return this.#sign(event);
      case 'reasoning-redacted': {
        const { data, origin, id } = event;
        return this.#closeCurrent() + this.#sign({ redacted: data, origin, id });
      }
      case 'refusal-delta':
        return event.text === '' ? '' : this.#message((item) => item.refusal(event.text));
      case 'citation': {
        const annotation = annotationOf(event.citation);
        return annotation === undefined ? '' : this.#message((item) => item.annotation(annotation));
      }
      case 'tool-call-delta':
        return this.#call(event);
      case 'audio-delta':
        return event.transcript === undefined
          ? ''
          : this.#message((item) => item.text(event.transcript ?? '', undefined));
      case 'image': {
        const format = event.mediaType.slice(event.mediaType.indexOf('/') + 1);
        const result = event.data ?? event.url ?? null;
        return this.#whole({
          id: this.#id('ig'),
          type: 'image_generation_call',
          status: 'completed',
          result,
          output_format: format,
        });
      }
      case 'provider-item':
        return event.origin === 'openai' ? this.#whole(event.item) : '';
      default:
        this.#finish = event;
        return '';
    }
  }

  #id(prefix: string): string {
    return `${prefix}_${this.#head?.id.slice('resp_'.length) ?? ''}_${this.#output.length}`;
  }

  /** Reserves the next output index. */
  #place(item: Json): number {
    return this.#output.push(item) - 1;
  }

  #message(fill: (item: MessageItem) => string): string {
    if (this.#current instanceof MessageItem) return fill(this.#current);
    const closing = this.#closeCurrent();
    const id = this.#id('msg');
    const item = new MessageItem(this, id, this.#place({}));
    this.#current = item;
    return closing + item.open() + fill(item);
  }

  #reasoning(fill: (item: ReasoningItem) => string, ownId?: string): string {
    if (this.#current instanceof ReasoningItem) return fill(this.#current);
    const closing = this.#closeCurrent();
    const id = ownId ?? this.#id('rs');
    const item = new ReasoningItem(this, id, this.#place({}));
    this.#current = item;
    return closing + item.open() + fill(item);
  }

  /** A signature ends its reasoning item; more reasoning is a new item. */
  #sign(issued: ReasoningSignature): string {
    const ownId = issued.origin === 'openai' ? issued.id : undefined;
    const written = this.#reasoning((item) => {
      item.encrypted = encodeSignature(issued, 'openai');
      return '';
    }, ownId);
    return written + this.#closeCurrent();
  }

  #whole(item: Json): string {
    const closing = this.#closeCurrent();
    const members = `"output_index":${this.#place(item)},"item":${JSON.stringify(item)}`;
    return (
      closing +
      this.write('response.output_item.added', members) +
      this.write('response.output_item.done', members)
    );
  }

  #call(event: EventOf<'tool-call-delta'>): string {
    let call = this.#calls.get(event.index);
    if (call !== undefined) return event.arguments === '' ? '' : call.delta(event.arguments);
    const { id = `call_${event.index}`, name = '', signature } = event;
    const signed = signature === undefined ? '' : this.#sign({ signature, origin: 'google' });
    const opening = signed + this.#closeCurrent() + this.#closeWholeCalls();
    const tool = this.#find(name);
    const clientCall = tool?.type === 'function' ? clientCallOf(tool.own) : undefined;
    if (clientCall !== undefined) {
      const ownId = this.#id(clientCall.prefix);
      call = new ClientCallItem(this, ownId, this.#place({}), { callId: id, call: clientCall });
      this.#calls.set(event.index, call);
      return opening + call.open() + call.delta(event.arguments);
    }
    const isCustom = event.isCustom === true || tool?.type === 'custom';
    const itemId = this.#id(isCustom ? 'ctc' : 'fc');
    call = new CallItem(this, itemId, this.#place({}), {
      callId: id,
      name: tool?.givenName ?? name,
      namespace: tool?.namespace,
      isCustom,
      isWrapped: isCustom && event.isCustom !== true,
    });
    this.#calls.set(event.index, call);
    return opening + call.open() + (event.arguments === '' ? '' : call.delta(event.arguments));
  }

  #close(item: OpenItem): string {
    const { written, done } = item.close();
    this.#output[item.outputIndex] = done;
    return written;
  }

  #closeCurrent(): string {
    if (this.#current === undefined) return '';
    const written = this.#close(this.#current);
    this.#current = undefined;
    return written;
  }

  /** Calls with complete arguments end before the next one begins; others stay open side by side. */
  #closeWholeCalls(): string {
    let written = '';
    for (const call of this.#calls.values()) {
      if (call.isOpen && call.isWhole()) written += this.#close(call);
    }
    return written;
  }

  #closeAll(): string {
    let written = this.#closeCurrent();
    for (const call of this.#calls.values()) if (call.isOpen) written += this.#close(call);
    return written;
  }
}

export const encodeStream = (options: EncodeOptions): StreamEncoder => new ResponsesStreamEncoder(options);
