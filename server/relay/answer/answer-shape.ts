// Whether a body with a status of success is an answer of its format at all. The page of a proxy, the words of a parked
// domain and JSON of another API are none: such an attempt has failed, whatever its status says.
import { isObject, list } from '#server/models/formats/json.ts';
import type { Format } from '#server/models/providers/provider.ts';

type Json = Readonly<Record<string, unknown>>;

const hasEntries = (value: unknown): boolean => list(value).length > 0;
const hasChoices = (json: Json): boolean => hasEntries(json['choices']);

/** Formats that are not listed are read by their own codec. */
const shapes: Partial<Record<Format, (json: Json) => boolean>> = {
  'openai-chat': hasChoices,
  'openai-completions': hasChoices,
  'openai-responses': ({ output, id, status }) =>
    Array.isArray(output) || (typeof id === 'string' && typeof status === 'string'),
  'anthropic-messages': ({ type, content }) => type === 'message' || Array.isArray(content),
  // A blocked prompt has no candidate.
  'gemini-generate': ({ candidates, promptFeedback }) => hasEntries(candidates) || isObject(promptFeedback),
  'openai-embeddings': ({ data }) => hasEntries(data),
  'gemini-embeddings': ({ embedding, embeddings }) => isObject(embedding) || Array.isArray(embeddings),
  'openai-moderations': ({ results }) => Array.isArray(results),
  // Compatible upstreams use either name.
  'openai-rerank': ({ results, data }) => Array.isArray(results) || Array.isArray(data),
  'openai-images': ({ data, images }) => hasEntries(data) || hasEntries(images),
  // A recording without words has an empty text.
  'openai-transcriptions': ({ text, segments }) => typeof text === 'string' || Array.isArray(segments),
  // Sound is no JSON.
  'openai-speech': () => false,
};

export const isAnswerOf = (format: Format, json: Json): boolean => shapes[format]?.(json) ?? true;

/** The first event of a stream: whether it is one of the format. */
const eventShapes: Partial<Record<Format, (event: Json) => boolean>> = {
  'openai-chat': ({ choices }) => Array.isArray(choices),
  'openai-completions': ({ choices }) => Array.isArray(choices),
  'openai-responses': ({ type }) => typeof type === 'string',
  'anthropic-messages': ({ type }) => typeof type === 'string',
  'gemini-generate': ({ candidates, promptFeedback, usageMetadata }) =>
    Array.isArray(candidates) || isObject(promptFeedback) || isObject(usageMetadata),
};

export function isEventOf(format: Format, event: unknown): boolean {
  const shape = eventShapes[format];
  return shape === undefined || (isObject(event) && shape(event));
}

/** Formats whose answers to a streamed call are events and nothing else; pictures and sound may come in one piece. */
export const streamsEvents = (format: Format): boolean => eventShapes[format] !== undefined;

/** Formats of a transcription that are JSON. */
const JSON_TRANSCRIPTS: ReadonlySet<unknown> = new Set([undefined, 'json', 'verbose_json', 'diarized_json']);

const HTML_START = /^\s*<(?:!doctype|html|head|body|\?xml)/i;

export interface Body {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** An answer that is legal without being JSON: sound, or a transcript as text. `fields`: of the request. */
export function isFileOf(format: Format, fields: Json, { contentType, bytes }: Body): boolean {
  const isTranscript = format === 'openai-transcriptions';
  if (!isTranscript && (format !== 'openai-speech' || bytes.length === 0)) return false;
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 100));
  if (contentType.includes('html') || HTML_START.test(start)) return false;
  if (isTranscript) return !JSON_TRANSCRIPTS.has(fields['response_format']);
  // `stream_format: sse` asks for events.
  return contentType.startsWith('text/event-stream') || !/^text\/|json/.test(contentType);
}
