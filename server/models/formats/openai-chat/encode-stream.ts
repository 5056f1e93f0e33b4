// Canonical events to streamed chat answers of OpenAI's format. Chunks are built as text, because all of them share the same
// head.
import type { CanonicalEvent, CanonicalUsage, Origin } from '#server/models/formats/canonical.ts';
import type { EncodeOptions, StreamEncoder } from '#server/models/formats/codec.ts';
import { withoutUndefined } from '#server/models/formats/json.ts';
import { openAiTier } from '#server/models/formats/openai-usage.ts';
import { nameGiver, toolFinder, unwrapCustom } from '#server/models/formats/tool-names.ts';
import {
  encodeAnnotation,
  encodeErrorBody,
  encodeImage,
  encodeLogprob,
  encodeUsage,
  idOf,
  RAW_REASONS,
} from './pieces.ts';
import { encodeDetails } from './reasoning-details.ts';

/** The part of a chunk before `"choices"`, as text. */
function headOf(
  start: { id: string; model: string; created: number; serviceTier?: string },
  options: EncodeOptions,
): string {
  const head = {
    id: idOf(start.id, options),
    object: 'chat.completion.chunk',
    created: start.created || (options.created ?? 0),
    model: start.model,
    ...(start.serviceTier === undefined ? {} : { service_tier: openAiTier(start.serviceTier) }),
  };
  return `data: ${JSON.stringify(head).slice(0, -1)},`;
}

class ChatStreamEncoder implements StreamEncoder {
  readonly #options: EncodeOptions;
  readonly #nameOf: (name: string) => string;
  readonly #isCustom: (name: string) => boolean;
  #head = '';
  #usage: CanonicalUsage | undefined;
  #hasFailed = false;
  readonly #begun = new Set<number>();
  readonly #called = new Set<number>();
  /** The reasoning of each choice so far: a signature is useless without its text. */
  readonly #thoughts = new Map<number, string>();
  /** Calls of plain-text tools, sent when their JSON is complete. */
  readonly #custom = new Map<
    string,
    { name: string; id: string; given: string; index: number; choice: number }
  >();

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#nameOf = nameGiver(options.request);
    const find = toolFinder(options.request);
    this.#isCustom = (name) => find(name)?.type === 'custom';
    this.#head = headOf({ id: '', model: options.request?.model ?? '', created: 0 }, options);
  }

  push(event: CanonicalEvent): string {
    switch (event.type) {
      case 'start':
        this.#head = headOf(event, this.#options);
        return '';
      case 'text-delta':
        return this.#text(event);
      case 'reasoning-delta':
        this.#thoughts.set(event.choice, (this.#thoughts.get(event.choice) ?? '') + event.text);
        return this.#chunk(event.choice, `"reasoning_content":${JSON.stringify(event.text)}`);
      case 'reasoning-signature': {
        const { signature, origin, id } = event;
        return this.#detail(event.choice, { signature, origin, id });
      }
      case 'reasoning-redacted': {
        const { data, origin, id } = event;
        return this.#detail(event.choice, { redacted: data, origin, id });
      }
      case 'refusal-delta':
        return this.#chunk(event.choice, `"refusal":${JSON.stringify(event.text)}`);
      case 'tool-call-delta':
        return this.#call(event);
      case 'citation': {
        const annotations = encodeAnnotation(event.citation);
        return annotations.length === 0
          ? ''
          : this.#chunk(event.choice, `"annotations":${JSON.stringify(annotations)}`);
      }
      case 'image':
        return this.#chunk(event.choice, `"images":${JSON.stringify([encodeImage(event)])}`);
      case 'audio-delta': {
        const { id, data, transcript, expiresAt } = event;
        const audio = withoutUndefined({ id, data, transcript, expires_at: expiresAt });
        return this.#chunk(event.choice, `"audio":${JSON.stringify(audio)}`);
      }
      case 'finish': {
        const isCalling = event.reason === 'stop' && this.#called.has(event.choice);
        const reason = isCalling ? 'tool_calls' : RAW_REASONS[event.reason];
        return this.#customCalls(event.choice) + this.#chunk(event.choice, '', `"${reason}"`);
      }
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        this.#hasFailed = true;
        return `data: ${JSON.stringify(encodeErrorBody(event))}\n\n`;
      default:
        return '';
    }
  }

  end(): string {
    if (this.#hasFailed) return '';
    const { includeUsage } = this.#options;
    const last =
      includeUsage && this.#usage !== undefined
        ? `${this.#head}"choices":[],"usage":${JSON.stringify(encodeUsage(this.#usage))}}\n\n`
        : '';
    return `${last}data: [DONE]\n\n`;
  }

  /** The role comes once, with the first delta of a choice. */
  #chunk(choice: number, delta: string, finish = 'null', logprobs = 'null'): string {
    let role = '';
    if (!this.#begun.has(choice)) {
      this.#begun.add(choice);
      role = delta === '' ? '"role":"assistant"' : '"role":"assistant",';
    }
    return `${this.#head}"choices":[{"index":${choice},"delta":{${role}${delta}},"logprobs":${logprobs},"finish_reason":${finish}}]}\n\n`;
  }

  #text(event: Extract<CanonicalEvent, { type: 'text-delta' }>): string {
    let delta = `"content":${JSON.stringify(event.text)}`;
    if (event.signature !== undefined) delta += `,${googleContent(event.signature)}`;
    if (event.logprobs === undefined) return this.#chunk(event.choice, delta);
    const logprobs = JSON.stringify({ content: event.logprobs.map(encodeLogprob), refusal: null });
    return this.#chunk(event.choice, delta, 'null', logprobs);
  }

  #detail(
    choice: number,
    thought: { signature?: string; redacted?: string; origin: Origin; id?: string },
  ): string {
    const reasoningText = thought.redacted === undefined ? (this.#thoughts.get(choice) ?? '') : '';
    this.#thoughts.delete(choice);
    const details = encodeDetails(withoutUndefined({ type: 'reasoning', text: reasoningText, ...thought }));
    return this.#chunk(choice, `"reasoning_details":${JSON.stringify(details)}`);
  }

  #call(event: Extract<CanonicalEvent, { type: 'tool-call-delta' }>): string {
    const { choice, index, id, name } = event;
    this.#called.add(choice);
    const key = `${choice}.${index}`;
    const waiting = this.#custom.get(key);
    if (waiting !== undefined) {
      waiting.given += event.arguments;
      return '';
    }
    if (name !== undefined && event.isCustom !== true && this.#isCustom(name)) {
      this.#custom.set(key, { name, id: id ?? '', given: event.arguments, index, choice });
      return '';
    }
    // Id, type and name only with the first piece: clients take them as the start of a new call.
    const kind = event.isCustom === true ? 'custom' : 'function';
    const opening = id === undefined ? '' : `"id":${JSON.stringify(id)},"type":"${kind}",`;
    const named = name === undefined ? '' : `"name":${JSON.stringify(this.#nameOf(name))},`;
    const member = event.isCustom === true ? 'input' : 'arguments';
    const signed = event.signature === undefined ? '' : `,${googleContent(event.signature)}`;
    const call = `{"index":${index},${opening}"${kind}":{${named}"${member}":${JSON.stringify(event.arguments)}}${signed}}`;
    return this.#chunk(choice, `"tool_calls":[${call}]`);
  }

  #customCalls(choice: number): string {
    let written = '';
    for (const [key, call] of this.#custom) {
      if (call.choice !== choice) continue;
      this.#custom.delete(key);
      const custom = { name: this.#nameOf(call.name), input: unwrapCustom(call.given) };
      const encoded = JSON.stringify({ index: call.index, id: call.id, type: 'custom', custom });
      written += this.#chunk(choice, `"tool_calls":[${encoded}]`);
    }
    return written;
  }
}

const googleContent = (signature: string): string =>
  `"extra_content":{"google":{"thought_signature":${JSON.stringify(signature)}}}`;

export const encodeStream = (options: EncodeOptions): StreamEncoder => new ChatStreamEncoder(options);
