// The smallest request that proves an upstream works, in a format it accepts: one word to a chat model, one phrase to an
// embedding model, two documents to a reranker. Other kinds cost real money or need a file.
import type { CanonicalEvent, ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { ndjsonReader } from '#server/models/formats/frames/ndjson.ts';
import { codecs } from '#server/models/formats/index.ts';
import { openAiModel } from '#server/models/formats/openai-models.ts';
import { EventSplitter, readEvent } from '#server/models/formats/sse.ts';
import { countIn, isObject, listIn, type Json } from './shared/json.ts';
import { speaksOf } from './spoken.ts';
import type { Format, Provider, ProviderChannel, UpstreamCall } from './provider.ts';

export interface Probe {
  readonly call: UpstreamCall;
  readonly body: Json;
  read(answer: { status: number; text: string }): ProbeVerdict;
}

export type ProbeVerdict =
  | { isOk: true; promptTokens: number; completionTokens: number; text: string }
  | { isOk: false; failure: ProbeFailure };

/** `words` are the upstream's own; keys are not masked in them. */
export type ProbeFailure =
  | { code: 'upstreamSaid' | 'unreadable'; status: number; words: string }
  | { code: 'noAnswer'; status: number }
  | { code: 'missingField'; status: number; field: string };

const LONGEST_ANSWER = 4 * 1024 * 1024;

export interface AskedText {
  readonly text: string;
  readonly mostTokens: number;
}

const GREETING: AskedText = { text: 'hi', mostTokens: 16 };

/** The requests, in OpenAI's format. */
const questions: Partial<
  Record<Format, { path: string; answer: string; body(model: string, asked: AskedText): Json }>
> = {
  'openai-chat': {
    path: '/v1/chat/completions',
    answer: 'choices',
    body: (model, { text, mostTokens }) => ({
      model,
      messages: [{ role: 'user', content: text }],
      // Reasoning models accept the limit only under its newer name.
      [openAiModel(model).hasNewLimit ? 'max_completion_tokens' : 'max_tokens']: mostTokens,
    }),
  },
  'openai-embeddings': {
    path: '/v1/embeddings',
    answer: 'data',
    body: (model) => ({ model, input: 'hello world' }),
  },
  'openai-rerank': {
    path: '/v1/rerank',
    answer: 'results',
    body: (model) => ({ model, query: 'hello', documents: ['hello world', 'good night'] }),
  },
};

/** The caller's format if the upstream accepts it, else one it can be converted to. */
export function spokenFormat(
  provider: Provider,
  channel: ProviderChannel,
  format: Format,
  model: string,
): Format | undefined {
  const speaks = speaksOf(provider, channel, model);
  if (speaks.includes(format)) return format;
  if (codecs[format] === undefined) return undefined;
  return speaks.find((each) => codecOf(provider, each) !== undefined);
}

function codecOf(provider: Provider, format: Format): UpstreamCodec | undefined {
  return format === 'own' ? provider.ownCodec : codecs[format];
}

export interface ProbeRequest {
  readonly format: Format;
  readonly model: string;
  /** The operator's own parameters, added to the body. */
  readonly extra?: Json;
  /** Stream the answer where the upstream can, so that the first token is timed. */
  readonly wantsStream?: boolean;
  /** Asked of a chat model instead of a greeting. */
  readonly asked?: AskedText;
}

/** Undefined when no small request exists for this model. */
export function probeOf(
  provider: Provider,
  channel: ProviderChannel,
  { format, model, extra = {}, wantsStream = false, asked = GREETING }: ProbeRequest,
): Probe | undefined {
  const question = questions[format];
  const spoken = spokenFormat(provider, channel, format, model);
  if (question === undefined || spoken === undefined) return undefined;
  const isStream = provider.alwaysStreams === true || (wantsStream && canStream(provider, spoken, model));
  const isConverted = spoken !== format || isStream;
  const call = { format: spoken, path: isConverted ? pathOf(spoken) : question.path, model, isStream };
  const request = { ...question.body(model, asked), ...(isStream ? { stream: true } : {}) };
  const codec = isConverted ? codecOf(provider, spoken) : undefined;
  const task = provider.tasks?.[spoken];
  const notes: ConversionNote[] = [];
  const encoded =
    codec !== undefined
      ? encodedChat(codec, request, notes)
      : (task?.encodeRequest(request, notes) ?? request);
  const given = { ...encoded, ...extra };
  return {
    call,
    body: provider.adjust?.(given, call, channel, notes) ?? given,
    read({ status, text }) {
      const parsed = parse(text);
      const refusal = isObject(parsed) ? provider.refusalIn?.(parsed, status) : undefined;
      if (refusal !== undefined) return said(refusal.status, `${refusal.code} ${refusal.message}`.trim());
      if (status < 200 || status > 299) return said(status, errorText(parsed, codec) ?? flat(text));
      if (codec !== undefined) {
        const framing = isStream ? (provider.framing?.(call) ?? 'sse') : undefined;
        return fromEvents(
          framing === undefined ? codec.decodeResponse(parsed) : streamed(codec, text, framing),
        );
      }
      const message = errorText(parsed);
      if (message !== undefined) return said(status, message);
      const answer: unknown = task === undefined ? parsed : task.decodeResponse(parsed, request);
      if (listIn(answer, question.answer).length === 0)
        return { isOk: false, failure: { code: 'missingField', status, field: question.answer } };
      return {
        isOk: true,
        promptTokens: countIn(answer, 'usage', 'prompt_tokens'),
        completionTokens: countIn(answer, 'usage', 'completion_tokens'),
        text: textOfChat(answer),
      };
    },
  };
}

/** True for the framings that `streamed` reads. */
function canStream(provider: Provider, spoken: Format, model: string): boolean {
  if (codecOf(provider, spoken) === undefined) return false;
  const framing =
    provider.framing?.({ format: spoken, path: pathOf(spoken), model, isStream: true }) ?? 'sse';
  return framing === 'sse' || framing === 'ndjson';
}

function pathOf(format: Format): string {
  switch (format) {
    case 'openai-responses':
      return '/v1/responses';
    case 'anthropic-messages':
      return '/v1/messages';
    default:
      return '/v1/chat/completions';
  }
}

function encodedChat(codec: UpstreamCodec, request: Json, notes: ConversionNote[]): Json {
  const canonical = codecs['openai-chat']?.decodeRequest(request, notes);
  const encoded = canonical === undefined ? request : codec.encodeRequest(canonical, notes);
  return isObject(encoded) ? encoded : {};
}

/** The events of a stream, from its whole text. */
function streamed(codec: UpstreamCodec, text: string, framing: string): CanonicalEvent[] {
  const decoder = codec.decodeStream();
  const bytes = Buffer.from(text);
  const frames = framing === 'sse' ? sseFrames(bytes) : lines(bytes);
  const events = frames
    .filter(({ data }) => data !== '[DONE]')
    .flatMap(({ event, data }) => decoder.push(event, data));
  return [...events, ...decoder.end()];
}

function lines(bytes: Buffer) {
  const reader = ndjsonReader(LONGEST_ANSWER);
  return [...reader.push(bytes), ...reader.end()];
}

function sseFrames(bytes: Buffer) {
  const splitter = new EventSplitter(LONGEST_ANSWER);
  const rest = (): Uint8Array[] => {
    const last = splitter.rest();
    return last === undefined ? [] : [last];
  };
  const parts = [...splitter.push(bytes)];
  return [...parts, ...rest()].map((part) => readEvent(part)).filter(({ empty }) => !empty);
}

/** The content of the first choice; empty for other answers. */
function textOfChat(answer: unknown): string {
  const [choice] = listIn(answer, 'choices');
  const message = isObject(choice) ? choice['message'] : undefined;
  const content = isObject(message) ? message['content'] : undefined;
  return typeof content === 'string' ? content : '';
}

function fromEvents(events: readonly CanonicalEvent[]): ProbeVerdict {
  const failed = events.find((event) => event.type === 'error');
  if (failed !== undefined) return said(failed.status, `${failed.code} ${failed.message}`.trim());
  if (!events.some(({ type }) => type === 'finish'))
    return { isOk: false, failure: { code: 'noAnswer', status: 200 } };
  const used = events.findLast((event) => event.type === 'usage')?.usage;
  return {
    isOk: true,
    promptTokens:
      used === undefined ? 0 : used.input + used.cacheRead + used.cacheWrite5m + used.cacheWrite1h,
    completionTokens: used === undefined ? 0 : used.output + used.reasoning,
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
  };
}

const said = (status: number, words: string): ProbeVerdict => ({
  isOk: false,
  failure: { code: 'upstreamSaid', status, words },
});

/** Undefined for text that is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Also inside a 200: some upstreams send errors with status 200. */
export function errorText(value: unknown, codec?: UpstreamCodec): string | undefined {
  const decoded = codec?.decodeError(value);
  if (decoded !== undefined) return decoded.message;
  if (!isObject(value) || value['error'] === undefined || value['error'] === null) return undefined;
  const { error } = value;
  if (typeof error === 'string') return error;
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error);
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
