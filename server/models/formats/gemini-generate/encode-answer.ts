// Canonical events to answers of Gemini's generateContent, whole and streamed. A chunk has one part; a call is sent when it is
// complete; finish reason and usage come last.
import type {
  CanonicalCitation,
  CanonicalEvent,
  CanonicalUsage,
  FinishReason,
} from '#server/models/formats/canonical.ts';
import type { EncodeOptions, StreamEncoder } from '#server/models/formats/codec.ts';
import { choicesOf, gather, type Block, type Choice } from '#server/models/formats/gather.ts';
import { parseArguments, type Json } from '#server/models/formats/json.ts';
import { nameGiver } from '#server/models/formats/tool-names.ts';
import { encodeErrorBody } from './errors.ts';
import { encodeGoogleSignature } from './fields.ts';
import { encodeGrounding } from './grounding.ts';
import { encodeUsage } from './usage.ts';

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
  error: 'OTHER',
  other: 'OTHER',
};

/** Google's own reason, if the upstream is Google's. */
const OWN_REASON = /^[A-Z_]+$/;
const reasonOf = (reason: FinishReason, raw: string): string =>
  OWN_REASON.test(raw) ? raw : REASONS[reason];

const signed = (signature: string | undefined): Json =>
  signature === undefined ? {} : { thoughtSignature: signature };

const callPart = (call: { id: string; arguments: string; signature?: string }, name: string): Json => ({
  functionCall: { ...(call.id === '' ? {} : { id: call.id }), name, args: parseArguments(call.arguments) },
  ...signed(call.signature),
});

const mediaPart = (mediaType: string, data: string | undefined, url: string | undefined): Json =>
  data === undefined && url !== undefined
    ? { fileData: { mimeType: mediaType, fileUri: url } }
    : { inlineData: { mimeType: mediaType, data: data ?? '' } };

const picturePart = ({ mediaType, data, url, signature }: Delta<'image'>): Json => ({
  ...mediaPart(mediaType, data, url),
  ...signed(signature),
});

type Delta<Type> = Extract<CanonicalEvent, { type: Type }>;

interface PendingCall {
  id: string;
  name: string;
  arguments: string;
  signature?: string;
}

interface StreamedChoice {
  calls: Map<number, PendingCall>;
  finish: string | undefined;
  text: string;
  citations: CanonicalCitation[];
}

class GeminiStreamEncoder implements StreamEncoder {
  readonly #options: EncodeOptions;
  readonly #nameOf: (name: string) => string;
  #tail: string;
  #usage: CanonicalUsage | undefined;
  #hasFailed = false;
  readonly #choices = new Map<number, StreamedChoice>();

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#nameOf = nameGiver(options.request);
    this.#tail = this.#tailOf('', '');
  }

  push(event: CanonicalEvent): string {
    switch (event.type) {
      case 'start':
        this.#tail = this.#tailOf(event.model, event.id);
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        this.#hasFailed = true;
        return `data: ${JSON.stringify(encodeErrorBody(event))}\n\n`;
      default:
        return this.#content(event);
    }
  }

  end(): string {
    if (this.#hasFailed) return '';
    let written = '';
    const endings: Json[] = [];
    if (this.#choices.size === 0) this.#choice(0);
    for (const [index, choice] of [...this.#choices].sort(([left], [right]) => left - right)) {
      written += this.#flush(index, choice);
      const grounding = encodeGrounding(choice.citations, choice.text);
      endings.push({
        content: { parts: [{ text: '' }], role: 'model' },
        finishReason: choice.finish ?? 'STOP',
        index,
        ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
      });
    }
    const usage =
      this.#usage === undefined ? '' : `"usageMetadata":${JSON.stringify(encodeUsage(this.#usage))},`;
    return `${written}data: {"candidates":${JSON.stringify(endings)},${usage}${this.#tail}`;
  }

  #tailOf(model: string, id: string): string {
    const modelVersion = model || (this.#options.request?.model ?? '');
    const responseId = id || (this.#options.id ?? '');
    return `${JSON.stringify({ modelVersion, responseId }).slice(1)}\n\n`;
  }

  #choice(index: number): StreamedChoice {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = { calls: new Map(), finish: undefined, text: '', citations: [] };
      this.#choices.set(index, choice);
    }
    return choice;
  }

  #part(choice: number, part: string): string {
    return `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"},"index":${choice}}],${this.#tail}`;
  }

  #content(event: Exclude<CanonicalEvent, { type: 'start' | 'usage' | 'error' }>): string {
    const choice = this.#choice(event.choice);
    switch (event.type) {
      case 'text-delta': {
        const before = choice.calls.size === 0 ? '' : this.#flush(event.choice, choice);
        choice.text += event.text;
        const signature =
          event.signature === undefined ? '' : `,"thoughtSignature":${JSON.stringify(event.signature)}`;
        return before + this.#part(event.choice, `{"text":${JSON.stringify(event.text)}${signature}}`);
      }
      case 'reasoning-delta':
        return this.#part(event.choice, `{"text":${JSON.stringify(event.text)},"thought":true}`);
      case 'reasoning-signature': {
        const { signature, origin, id } = event;
        return this.#signature(event.choice, encodeGoogleSignature({ signature, origin, id }));
      }
      case 'reasoning-redacted': {
        const { data, origin, id } = event;
        return this.#signature(event.choice, encodeGoogleSignature({ redacted: data, origin, id }));
      }
      case 'refusal-delta':
        return this.#part(event.choice, `{"text":${JSON.stringify(event.text)}}`);
      case 'citation':
        choice.citations.push(event.citation);
        return '';
      case 'tool-call-delta':
        addCall(choice.calls, event);
        return '';
      case 'image':
        return this.#part(event.choice, JSON.stringify(picturePart(event)));
      case 'audio-delta':
        if (event.data === undefined) return '';
        return this.#part(
          event.choice,
          JSON.stringify(mediaPart(event.mediaType ?? 'audio/wav', event.data, undefined)),
        );
      case 'provider-item':
        return event.origin === 'google' ? this.#part(event.choice, JSON.stringify(event.item)) : '';
      default:
        choice.finish = reasonOf(event.reason, event.raw);
        return this.#flush(event.choice, choice);
    }
  }

  #signature(choice: number, signature: string): string {
    return this.#part(choice, `{"text":"","thought":true,"thoughtSignature":${JSON.stringify(signature)}}`);
  }

  #flush(index: number, choice: StreamedChoice): string {
    let written = '';
    for (const call of choice.calls.values())
      written += this.#part(index, JSON.stringify(callPart(call, this.#nameOf(call.name))));
    choice.calls.clear();
    return written;
  }
}

function addCall(calls: Map<number, PendingCall>, event: Delta<'tool-call-delta'>): void {
  const call = calls.get(event.index) ?? { id: '', name: '', arguments: '' };
  if (event.id !== undefined) call.id = event.id;
  if (event.name !== undefined) call.name = event.name;
  if (event.signature !== undefined) call.signature = event.signature;
  call.arguments += event.arguments;
  calls.set(event.index, call);
}

export const encodeStream = (options: EncodeOptions): StreamEncoder => new GeminiStreamEncoder(options);

export function encodeResponse(events: readonly CanonicalEvent[], options?: EncodeOptions): Json {
  const gathered = gather(events);
  if (gathered.error !== undefined) return encodeErrorBody(gathered.error);
  return {
    candidates: choicesOf(gathered).map(([index, choice]) => encodeCandidate(index, choice, options)),
    ...(gathered.usage === undefined ? {} : { usageMetadata: encodeUsage(gathered.usage) }),
    modelVersion: gathered.model || (options?.request?.model ?? ''),
    responseId: gathered.id || (options?.id ?? ''),
  };
}

function encodeCandidate(
  index: number,
  { blocks, reason, raw }: Choice,
  options: EncodeOptions | undefined,
): Json {
  const nameOf = nameGiver(options?.request);
  const parts = blocks.flatMap((block) => encodeBlock(block, nameOf));
  const texts = blocks.filter((block) => block.type === 'text');
  const grounding = encodeGrounding(
    texts.flatMap((block) => block.citations),
    texts.map((block) => block.text).join(''),
  );
  const logprobs = texts.flatMap((block) => block.logprobs);
  return {
    content: { parts, role: 'model' },
    finishReason: reasonOf(reason, raw),
    index,
    ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
    ...(logprobs.length === 0
      ? {}
      : {
          logprobsResult: {
            chosenCandidates: logprobs.map(({ token, logprob }) => ({ token, logProbability: logprob })),
            topCandidates: logprobs.map(({ top }) => ({
              candidates: (top ?? []).map(({ token, logprob }) => ({ token, logProbability: logprob })),
            })),
          },
        }),
  };
}

function encodeBlock(block: Block, nameOf: (name: string) => string): Json[] {
  switch (block.type) {
    case 'text':
      return block.text === '' && block.signature === undefined
        ? []
        : [{ text: block.text, ...signed(block.signature) }];
    case 'refusal':
      return [{ text: block.text }];
    case 'reasoning': {
      const { text, signature, redacted, origin = 'google', id } = block;
      const isProven = signature !== undefined || redacted !== undefined;
      const signedMember = isProven ? signed(encodeGoogleSignature({ signature, redacted, origin, id })) : {};
      return [{ text, thought: true, ...signedMember }];
    }
    case 'tool_call':
      return [callPart(block, nameOf(block.name))];
    case 'image':
      return [picturePart(block)];
    case 'audio':
      return block.data === '' ? [] : [mediaPart(block.mediaType || 'audio/wav', block.data, undefined)];
    default:
      return block.origin === 'google' ? [block.item] : [];
  }
}
