// Canonical events to whole answers of OpenAI's Responses API.
import type { CanonicalEvent } from '#server/models/formats/canonical.ts';
import type { EncodeOptions } from '#server/models/formats/codec.ts';
import {
  firstChoice,
  gather,
  type Block,
  type CallBlock,
  type ReasoningBlock,
  type TextBlock,
} from '#server/models/formats/gather.ts';
import type { Json } from '#server/models/formats/json.ts';
import { encodeSignature } from '#server/models/formats/signatures.ts';
import { toolFinder, unwrapCustom } from '#server/models/formats/tool-names.ts';
import { clientCallOf } from './client-tools.ts';
import {
  annotationOf,
  encodeLogprob,
  endingOf,
  errorCode,
  headOf,
  responseObject,
} from './response-object.ts';

export function encodeResponse(events: readonly CanonicalEvent[], options?: EncodeOptions): Json {
  const gathered = gather(events);
  if (gathered.error !== undefined) {
    const { message, kind } = gathered.error;
    return {
      error: { message, type: kind ?? 'upstream_error', param: null, code: errorCode(gathered.error) },
    };
  }
  const head = headOf(gathered, options);
  const choice = firstChoice(gathered);
  const { status, incomplete } = endingOf(choice.reason);
  const output = new OutputItems(head.id, options).of(choice.blocks);
  const { usage } = gathered;
  return responseObject(head, status, { output, usage, incomplete }, options);
}

class OutputItems {
  readonly #suffix: string;
  readonly #find: ReturnType<typeof toolFinder>;
  readonly #items: Json[] = [];

  constructor(responseId: string, options: EncodeOptions | undefined) {
    this.#suffix = responseId.slice('resp_'.length);
    this.#find = toolFinder(options?.request);
  }

  of(blocks: readonly Block[]): Json[] {
    for (const block of blocks) this.#add(block);
    return this.#items;
  }

  #id(prefix: string): string {
    return `${prefix}_${this.#suffix}_${this.#items.length}`;
  }

  #add(block: Block): void {
    switch (block.type) {
      case 'text':
        if (block.text !== '') this.#message(textPart(block));
        return;
      case 'refusal':
        this.#message({ type: 'refusal', refusal: block.text });
        return;
      case 'audio':
        if (block.transcript !== '')
          this.#message({ type: 'output_text', text: block.transcript, annotations: [] });
        return;
      case 'reasoning':
        this.#items.push(this.#reasoning(block));
        return;
      case 'tool_call':
        this.#call(block);
        return;
      case 'image':
        this.#items.push({
          id: this.#id('ig'),
          type: 'image_generation_call',
          status: 'completed',
          result: block.data ?? block.url ?? null,
          output_format: block.mediaType.slice(block.mediaType.indexOf('/') + 1),
        });
        return;
      default:
        if (block.origin === 'openai') this.#items.push(block.item);
    }
  }

  /** Consecutive text and refusals are parts of one message. */
  #message(part: Json): void {
    const last = this.#items.at(-1);
    if (last?.['type'] === 'message') {
      (last['content'] as Json[]).push(part);
      return;
    }
    const id = this.#id('msg');
    this.#items.push({ id, type: 'message', status: 'completed', role: 'assistant', content: [part] });
  }

  #reasoning({ text, signature, redacted, origin = 'openai', id }: ReasoningBlock): Json {
    const isKept = signature !== undefined || redacted !== undefined;
    return {
      id: (origin === 'openai' ? id : undefined) ?? this.#id('rs'),
      type: 'reasoning',
      summary: text === '' ? [] : [{ type: 'summary_text', text }],
      ...(isKept
        ? { encrypted_content: encodeSignature({ signature, redacted, origin, id }, 'openai') }
        : {}),
    };
  }

  /** Google's signature of a call is kept with the reasoning before it, like OpenAI's. */
  #call(call: CallBlock): void {
    const tool = this.#find(call.name);
    if (call.signature !== undefined) {
      const kept = encodeSignature({ signature: call.signature, origin: 'google' }, 'openai');
      const last = this.#items.at(-1);
      if (last?.['type'] === 'reasoning' && last['encrypted_content'] === undefined)
        last['encrypted_content'] = kept;
      else this.#items.push({ id: this.#id('rs'), type: 'reasoning', summary: [], encrypted_content: kept });
    }
    const clientCall = tool?.type === 'function' ? clientCallOf(tool.own) : undefined;
    if (clientCall !== undefined) {
      this.#items.push(clientCall.item(this.#id(clientCall.prefix), call.id, call.arguments));
      return;
    }
    const isCustom = call.isCustom || tool?.type === 'custom';
    const common = {
      status: 'completed',
      call_id: call.id,
      name: tool?.givenName ?? call.name,
      ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
    };
    if (isCustom) {
      const input = call.isCustom ? call.arguments : unwrapCustom(call.arguments);
      this.#items.push({ id: this.#id('ctc'), type: 'custom_tool_call', ...common, input });
    } else
      this.#items.push({ id: this.#id('fc'), type: 'function_call', ...common, arguments: call.arguments });
  }
}

function textPart({ text, citations, logprobs }: TextBlock): Json {
  const annotations = citations.map(annotationOf).filter((annotation) => annotation !== undefined);
  return {
    type: 'output_text',
    text,
    annotations,
    ...(logprobs.length === 0 ? {} : { logprobs: logprobs.map(encodeLogprob) }),
  };
}
