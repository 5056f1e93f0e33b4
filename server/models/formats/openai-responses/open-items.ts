// Items of a streamed response while they are open: how each one opens, grows and closes.
import type { CanonicalLogprob } from '#server/models/formats/canonical.ts';
import type { Json } from '#server/models/formats/json.ts';
import { unwrapCustom } from '#server/models/formats/tool-names.ts';
import { encodeLogprob } from './response-object.ts';

export interface Writer {
  write(type: string, members: string): string;
}

export interface OpenItem {
  readonly outputIndex: number;
  /** The closing events, and the item in the whole response. */
  close(): { written: string; done: Json };
}

const json = JSON.stringify;

export abstract class Item implements OpenItem {
  readonly outputIndex: number;
  protected readonly writer: Writer;
  protected readonly id: string;
  /** The members that every event of the item repeats. */
  protected readonly place: string;

  constructor(writer: Writer, id: string, outputIndex: number) {
    this.writer = writer;
    this.id = id;
    this.outputIndex = outputIndex;
    this.place = `"item_id":${json(id)},"output_index":${outputIndex},`;
  }

  protected added(item: Json): string {
    return this.writer.write(
      'response.output_item.added',
      `"output_index":${this.outputIndex},"item":${json(item)}`,
    );
  }

  protected done(item: Json): string {
    return this.writer.write(
      'response.output_item.done',
      `"output_index":${this.outputIndex},"item":${json(item)}`,
    );
  }

  abstract close(): { written: string; done: Json };
}

interface OpenPart {
  type: 'output_text' | 'refusal';
  text: string;
  annotations: Json[];
  logprobs: Json[];
}

export class MessageItem extends Item {
  readonly #parts: Json[] = [];
  #part: OpenPart | undefined;

  open(): string {
    return this.added({
      id: this.id,
      type: 'message',
      status: 'in_progress',
      role: 'assistant',
      content: [],
    });
  }

  text(delta: string, logprobs: readonly CanonicalLogprob[] | undefined): string {
    const opening = this.#begin('output_text');
    const part = this.#part;
    if (part === undefined) return opening;
    part.text += delta;
    let probabilities = '[]';
    if (logprobs !== undefined) {
      const encoded = logprobs.map(encodeLogprob);
      part.logprobs.push(...encoded);
      probabilities = json(encoded);
    }
    const members = `${this.#contentPlace()}"delta":${json(delta)},"logprobs":${probabilities}`;
    return opening + this.writer.write('response.output_text.delta', members);
  }

  refusal(delta: string): string {
    const opening = this.#begin('refusal');
    if (this.#part !== undefined) this.#part.text += delta;
    return (
      opening + this.writer.write('response.refusal.delta', `${this.#contentPlace()}"delta":${json(delta)}`)
    );
  }

  annotation(annotation: Json): string {
    const opening = this.#begin('output_text');
    const index = (this.#part?.annotations.push(annotation) ?? 1) - 1;
    const members = `${this.#contentPlace()}"annotation_index":${index},"annotation":${json(annotation)}`;
    return opening + this.writer.write('response.output_text.annotation.added', members);
  }

  close(): { written: string; done: Json } {
    const closing = this.#end();
    const item = {
      id: this.id,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: this.#parts,
    };
    return { written: closing + this.done(item), done: item };
  }

  #contentPlace(): string {
    return `${this.place}"content_index":${this.#parts.length},`;
  }

  #begin(type: OpenPart['type']): string {
    if (this.#part?.type === type) return '';
    const closing = this.#end();
    this.#part = { type, text: '', annotations: [], logprobs: [] };
    const part = encodePart(this.#part);
    return (
      closing +
      this.writer.write('response.content_part.added', `${this.#contentPlace()}"part":${json(part)}`)
    );
  }

  #end(): string {
    const part = this.#part;
    if (part === undefined) return '';
    const place = this.#contentPlace();
    const closing =
      part.type === 'refusal'
        ? this.writer.write('response.refusal.done', `${place}"refusal":${json(part.text)}`)
        : this.writer.write(
            'response.output_text.done',
            `${place}"text":${json(part.text)},"logprobs":${json(part.logprobs)}`,
          );
    const whole = encodePart(part);
    const done = this.writer.write('response.content_part.done', `${place}"part":${json(whole)}`);
    this.#parts.push(whole);
    this.#part = undefined;
    return closing + done;
  }
}

function encodePart(part: OpenPart): Json {
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  return { type: 'output_text', text: part.text, annotations: part.annotations, logprobs: part.logprobs };
}

export class ReasoningItem extends Item {
  encrypted: string | undefined;
  #text: string | undefined;

  open(): string {
    return this.added({ id: this.id, type: 'reasoning', summary: [] });
  }

  delta(thought: string): string {
    const place = `${this.place}"summary_index":0,`;
    let opening = '';
    if (this.#text === undefined) {
      this.#text = '';
      const part = '"part":{"type":"summary_text","text":""}';
      opening = this.writer.write('response.reasoning_summary_part.added', place + part);
    }
    this.#text += thought;
    return (
      opening + this.writer.write('response.reasoning_summary_text.delta', `${place}"delta":${json(thought)}`)
    );
  }

  close(): { written: string; done: Json } {
    const summary = this.#text === undefined ? [] : [{ type: 'summary_text', text: this.#text }];
    let written = '';
    if (this.#text !== undefined) {
      const place = `${this.place}"summary_index":0,`;
      const content = `"text":${json(this.#text)}`;
      written =
        this.writer.write('response.reasoning_summary_text.done', place + content) +
        this.writer.write('response.reasoning_summary_part.done', `${place}"part":${json(summary[0])}`);
    }
    const encrypted = this.encrypted === undefined ? {} : { encrypted_content: this.encrypted };
    const item = { id: this.id, type: 'reasoning', summary, ...encrypted };
    return { written: written + this.done(item), done: item };
  }
}

export interface CallDescription {
  callId: string;
  name: string;
  namespace: string | undefined;
  isCustom: boolean;
  /** The upstream got a JSON tool: the text is inside its arguments. */
  isWrapped: boolean;
}

export class CallItem extends Item {
  isOpen = true;
  readonly #call: CallDescription;
  #given = '';

  constructor(writer: Writer, id: string, outputIndex: number, call: CallDescription) {
    super(writer, id, outputIndex);
    this.#call = call;
  }

  open(): string {
    return this.added(this.#item('in_progress', ''));
  }

  delta(piece: string): string {
    this.#given += piece;
    if (this.#call.isWrapped) return '';
    return this.writer.write(this.#event('delta'), `${this.place}"delta":${json(piece)}`);
  }

  isWhole(): boolean {
    if (this.#call.isCustom && !this.#call.isWrapped) return true;
    try {
      JSON.parse(this.#given);
      return true;
    } catch {
      return false;
    }
  }

  close(): { written: string; done: Json } {
    this.isOpen = false;
    const { isWrapped, isCustom, name } = this.#call;
    const given = isWrapped ? unwrapCustom(this.#given) : this.#given || (isCustom ? '' : '{}');
    const late = isWrapped
      ? this.writer.write(this.#event('delta'), `${this.place}"delta":${json(given)}`)
      : '';
    const result = isCustom ? `"input":${json(given)}` : `"arguments":${json(given)},"name":${json(name)}`;
    const item = this.#item('completed', given);
    return {
      written: late + this.writer.write(this.#event('done'), this.place + result) + this.done(item),
      done: item,
    };
  }

  #event(ending: 'delta' | 'done'): string {
    return `response.${this.#call.isCustom ? 'custom_tool_call_input' : 'function_call_arguments'}.${ending}`;
  }

  #item(status: 'in_progress' | 'completed', given: string): Json {
    const { callId, name, namespace, isCustom } = this.#call;
    const common = { status, call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) };
    return isCustom
      ? { id: this.id, type: 'custom_tool_call', ...common, input: given }
      : { id: this.id, type: 'function_call', ...common, arguments: given };
  }
}
