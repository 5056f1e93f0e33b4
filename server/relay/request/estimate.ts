// What parts of a request count for, for holds and for calls without reported usage: its texts, by character classes, its
// attachments, and the options that bound its answer. Linear in the text, and constant for very long texts (evenly spaced
// samples), so that it never blocks the relay.
import type { RequestClass } from '#contract/money/price-rules.ts';
import { isObject } from '#server/models/formats/json.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { patchMembers } from './json-members.ts';
import type { JsonBody } from './read-body.ts';

type Fields = Readonly<Record<string, unknown>>;

const SAMPLE_ABOVE = 262_144;
const SAMPLE_COUNT = 64;
const SAMPLE_LENGTH = 2048;

/** Longest run of letters that is still one token on average. */
const LETTERS_PER_TOKEN = 7;
const DIGITS_PER_TOKEN = 3;
const SYMBOLS_PER_TOKEN = 2;

export function estimateTokens(text: string): number {
  if (text.length <= SAMPLE_ABOVE) return count(text, 0, text.length);
  let tokens = 0;
  const step = (text.length - SAMPLE_LENGTH) / (SAMPLE_COUNT - 1);
  for (let index = 0; index < SAMPLE_COUNT; index += 1) {
    const start = Math.floor(step * index);
    tokens += count(text, start, start + SAMPLE_LENGTH);
  }
  return Math.ceil((tokens * text.length) / (SAMPLE_COUNT * SAMPLE_LENGTH));
}

const LETTERS = 1;
const DIGITS = 2;
const SYMBOLS = 3;
const SPACES = 4;
const WIDE = 5;
const OTHER = 6;

export const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(code));

function kindOf(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return LETTERS;
  if (code === 32 || code === 10 || code === 13 || code === 9) return SPACES;
  if (code >= 48 && code <= 57) return DIGITS;
  if (code < 128) return SYMBOLS;
  // CJK, kana, hangul and full-width forms.
  if (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xffef)
  ) {
    return WIDE;
  }
  if (code < 0x250) return LETTERS;
  return OTHER;
}

function count(text: string, start: number, end: number): number {
  let tokens = 0;
  let kind = 0;
  let run = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const next = code < 128 ? (asciiKinds[code] as number) : kindOf(code);
    if (next === kind) {
      run += 1;
      continue;
    }
    tokens += tokensOfRun(kind, run);
    kind = next;
    run = 1;
  }
  return tokens + tokensOfRun(kind, run);
}

export function tokensOfRun(kind: number, run: number): number {
  switch (kind) {
    case LETTERS:
      return Math.ceil(run / LETTERS_PER_TOKEN);
    case DIGITS:
      return Math.ceil(run / DIGITS_PER_TOKEN);
    case SYMBOLS:
      return Math.ceil(run / SYMBOLS_PER_TOKEN);
    case SPACES:
      // One space belongs to the word after it.
      return run > 1 ? 1 : 0;
    case WIDE:
      return run;
    case OTHER:
      return Math.ceil(run / 2);
    default:
      return 0;
  }
}

/** What pictures, recordings and documents can count for beyond their usual estimate: only the upstream knows, so a hold covers a large one. */
interface Attachments {
  /** Tokens beyond the estimate of the prompt. */
  input: number;
  audio: number;
}

/** Tokens of a picture that goes in. */
export const LARGEST_PICTURE = 5000;
/** Of a document whose size is not known here: given by address or id. */
const LARGEST_DOCUMENT = 100_000;
const BYTES_PER_DOCUMENT_TOKEN = 8;
/** Ten tokens a second at 32 kbit/s. */
const BYTES_PER_AUDIO_TOKEN = 400;
const UNKNOWN_AUDIO = 6000;

type AttachmentKind = 'picture' | 'audio' | 'document';

/** Messages, items or contents, in any of the formats. */
export function attachmentsIn(content: unknown): Readonly<Attachments> {
  const found: Attachments = { input: 0, audio: 0 };
  visitAttachments(content, (kind, part) => addAttachment(kind, part, found));
  return found;
}

/** Deeper than any format nests content. */
const DEEPEST = 6;

type OnAttachment = (kind: AttachmentKind, part: Readonly<Record<string, unknown>>) => void;

export function visitAttachments(value: unknown, onAttachment: OnAttachment, depth = 0): void {
  if (Array.isArray(value)) {
    for (const each of value as unknown[])
      if (typeof each === 'object') visitAttachments(each, onAttachment, depth);
    return;
  }
  if (!isObject(value) || depth > DEEPEST) return;
  const kind = attachmentKind(value);
  if (kind !== undefined) return onAttachment(kind, value);
  // Nested content: messages, tool results, Gemini's parts.
  for (const name of ['content', 'parts', 'output'] as const)
    if (typeof value[name] === 'object') visitAttachments(value[name], onAttachment, depth + 1);
}

function attachmentKind(part: Readonly<Record<string, unknown>>): AttachmentKind | undefined {
  const { type } = part;
  if (typeof type === 'string') {
    if (type.includes('image')) return 'picture';
    if (type.includes('audio')) return 'audio';
    return type === 'document' || type === 'file' || type === 'input_file' ? 'document' : undefined;
  }
  const media = part['inlineData'] ?? part['inline_data'] ?? part['fileData'] ?? part['file_data'];
  if (!isObject(media)) return undefined;
  const mime = media['mimeType'] ?? media['mime_type'];
  if (typeof mime !== 'string') return 'document';
  if (mime.startsWith('image/')) return 'picture';
  return mime.startsWith('audio/') ? 'audio' : 'document';
}

function addAttachment(
  kind: AttachmentKind,
  part: Readonly<Record<string, unknown>>,
  found: Attachments,
): void {
  if (kind === 'picture') {
    found.input += LARGEST_PICTURE;
    return;
  }
  const bytes = longestText(part, 0) * 0.75;
  if (kind === 'audio') found.audio += bytes === 0 ? UNKNOWN_AUDIO : Math.ceil(bytes / BYTES_PER_AUDIO_TOKEN);
  else
    found.input +=
      bytes === 0
        ? LARGEST_DOCUMENT
        : Math.min(LARGEST_DOCUMENT, Math.ceil(bytes / BYTES_PER_DOCUMENT_TOKEN));
}

/** Below it a text is an id, an address or a name, not the content itself. */
const SHORTEST_CONTENT = 4096;

/** Characters of the content inside of the part; 0 when it is elsewhere. */
function longestText(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length >= SHORTEST_CONTENT ? value.length : 0;
  if (!isObject(value) || depth > DEEPEST) return 0;
  let longest = 0;
  for (const name in value) longest = Math.max(longest, longestText(value[name], depth + 1));
  return longest;
}

/** A whole number in the range, undefined when absent; anything else is refused (400). */
export function wholeNumber(fields: Fields, name: string, least: number, most: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new RelayError('invalid_field', { field: name }, { param: name });
  }
  return value;
}

const MOST_OUTPUT_TOKENS = 100_000_000;

/** Upstreams take 0 here as no limit; of the others it is an error. */
const ZERO_LIMIT = 'max_completion_tokens';

/** Where an endpoint's requests have the limit of an answer. */
export interface LimitPlaces {
  readonly outputLimits: readonly string[];
  readonly limitsIn?: string | undefined;
}

export function outputLimitOf(endpoint: LimitPlaces, fields: Fields): number | undefined {
  const holder = endpoint.limitsIn === undefined ? fields : (fields[endpoint.limitsIn] ?? {});
  if (typeof holder !== 'object' || Array.isArray(holder)) {
    const field = endpoint.limitsIn ?? 'body';
    throw new RelayError('invalid_field', { field }, { param: field });
  }
  let limit: number | undefined;
  for (const name of endpoint.outputLimits)
    limit ??= wholeNumber(holder as Fields, name, name === ZERO_LIMIT ? 0 : 1, MOST_OUTPUT_TOKENS);
  return limit === 0 ? undefined : limit;
}

/** Every limit that the caller set is lowered; without one the model's usual one is added. */
export function withOutputLimit(
  { endpoint, json, model }: { endpoint: LimitPlaces; json: JsonBody; model: string },
  tokens: number,
): JsonBody {
  const { outputLimits, limitsIn } = endpoint;
  const holder = limitsIn === undefined ? json.value : (json.value[limitsIn] as Fields | undefined);
  const given = outputLimits.filter((name) => (holder?.[name] ?? null) !== null);
  const usual = WANTS_NEW_LIMIT.test(model) ? outputLimits.slice(0, 1) : outputLimits.slice(-1);
  const limits = Object.fromEntries((given.length > 0 ? given : usual).map((name) => [name, tokens]));
  const members: Fields = limitsIn === undefined ? limits : { [limitsIn]: { ...holder, ...limits } };
  const changes = new Map(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
  return { text: patchMembers(json.text, changes), value: { ...json.value, ...members } };
}

/** They refuse `max_tokens`; others may not know `max_completion_tokens`. */
const WANTS_NEW_LIMIT = /^(?:[\w-]+\/)?(?:o\d|gpt-(?:[5-9]|\d\d))/;

export function reasoningEffortOf(fields: Fields): string {
  const { reasoning, reasoning_effort: effort, output_config: config } = fields;
  if (typeof effort === 'string') return effort.slice(0, 32);
  return effortIn(reasoning) ?? effortIn(config) ?? '';
}

/** Gemini spells the member its own way. */
export function requestClassOf(fields: Fields): RequestClass | undefined {
  const tier = fields['service_tier'] ?? fields['serviceTier'];
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

function effortIn(holder: unknown): string | undefined {
  if (typeof holder !== 'object' || holder === null || !('effort' in holder)) return undefined;
  return typeof holder.effort === 'string' ? holder.effort.slice(0, 32) : '';
}
