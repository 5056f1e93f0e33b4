// Content of chat messages: strings and arrays of parts to canonical parts and back.
import type { CacheHint, CanonicalPart, ConversionNote, MediaPart } from '#server/formats/canonical.ts';
import { drop } from '#server/formats/extras.ts';
import {
  FormatError,
  isObject,
  objectAt,
  optionalText,
  text,
  textAt,
  type Json,
} from '#server/formats/json.ts';
import {
  audioFormatOf,
  dataUrl,
  inlineOf,
  mediaFromUrl,
  mediaTypeOfAudio,
  mediaTypeOfName,
  parseDataUrl,
  urlOf,
} from '#server/formats/media.ts';

export function decodeContent(content: unknown, path: string, notes: ConversionNote[]): CanonicalPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw new FormatError(path, 'a string or an array');
  return (content as unknown[]).flatMap((part, index): CanonicalPart[] => {
    const at = `${path}[${index}]`;
    return typeof part === 'string'
      ? [{ type: 'text', text: part }]
      : decodePart(objectAt(part, at), at, notes);
  });
}

function decodePart(part: Json, path: string, notes: ConversionNote[]): CanonicalPart[] {
  const cache = decodeCache(part);
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: textAt(part['text'], `${path}.text`), ...cache }];
    case 'refusal':
      return [{ type: 'refusal', text: textAt(part['refusal'], `${path}.refusal`) }];
    case 'image_url':
      return [{ ...decodeImage(part['image_url'], `${path}.image_url`), ...cache }];
    case 'video_url': {
      const given = part['video_url'];
      const url = textAt(isObject(given) ? given['url'] : given, `${path}.video_url`);
      return [{ ...mediaFromUrl('video', url), ...cache }];
    }
    case 'input_audio': {
      const audio = objectAt(part['input_audio'], `${path}.input_audio`);
      const data = textAt(audio['data'], `${path}.input_audio.data`);
      const mediaType = mediaTypeOfAudio(text(audio['format']) || 'wav');
      return [{ type: 'audio', data, mediaType, ...cache }];
    }
    case 'file':
      return [{ ...decodeFile(objectAt(part['file'], `${path}.file`), `${path}.file`), ...cache }];
    default:
      drop(notes, `content.${text(part['type']) || 'part'}`, 'unknown part');
      return [];
  }
}

function decodeImage(given: unknown, path: string): MediaPart {
  if (typeof given === 'string') return mediaFromUrl('image', given);
  const image = objectAt(given, path);
  const detail = optionalText(image['detail'], `${path}.detail`);
  return {
    ...mediaFromUrl('image', textAt(image['url'], `${path}.url`)),
    ...(detail === undefined ? {} : { detail }),
  };
}

function decodeFile(file: Json, path: string): MediaPart {
  const filename = optionalText(file['filename'], `${path}.filename`);
  const fileId = optionalText(file['file_id'], `${path}.file_id`);
  const data = optionalText(file['file_data'], `${path}.file_data`);
  const inline = data === undefined ? undefined : parseDataUrl(data);
  const mediaType = mediaTypeOfName(filename);
  return {
    type: 'file',
    ...(data === undefined ? {} : (inline ?? { data, ...(mediaType === undefined ? {} : { mediaType }) })),
    ...(fileId === undefined ? {} : { fileId }),
    ...(filename === undefined ? {} : { filename }),
  };
}

/** Chat callers mark caches with Anthropic's field; if it is lost, only the bill shows it. */
export function decodeCache(part: Json): { cache?: CacheHint } {
  const control = part['cache_control'];
  if (!isObject(control)) return {};
  const { ttl } = control;
  return { cache: ttl === '1h' || ttl === '5m' ? { ttl } : {} };
}

export const encodeCache = (cache: CacheHint | undefined): Json =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache.ttl === undefined ? {} : { ttl: cache.ttl }) } };

export interface PartOptions {
  notes: ConversionNote[];
  /** The upstream accepts `cache_control`. */
  keepsCache: boolean;
}

/** A single text stays a string, which most upstreams prefer. */
export function encodeContent(parts: readonly CanonicalPart[], options: PartOptions): string | Json[] | null {
  const [only] = parts;
  if (only === undefined) return null;
  const encoded = parts.flatMap((part) => encodePart(part, options));
  const [first] = encoded;
  if (encoded.length === 1 && first?.['type'] === 'text' && first['cache_control'] === undefined)
    return text(first['text']);
  return encoded;
}

function encodePart(part: CanonicalPart, options: PartOptions): Json[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...cacheFor(part.cache, options) }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }];
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(part, options);
    default:
      drop(options.notes, `content.${part.type}`, 'has no place in a chat message');
      return [];
  }
}

function cacheFor(cache: CacheHint | undefined, { notes, keepsCache }: PartOptions): Json {
  if (cache === undefined) return {};
  if (keepsCache) return encodeCache(cache);
  drop(notes, 'cache_control', 'the upstream decides by itself what it keeps');
  return {};
}

function encodeMedia(part: MediaPart, options: PartOptions): Json[] {
  const cache = cacheFor(part.cache, options);
  if (part.options !== undefined) drop(options.notes, `content.${part.type}.options`, 'has no place in chat');
  if (part.type === 'file') return encodeFile(part, cache, options);
  const url = urlOf(part);
  if (url === undefined) {
    drop(options.notes, `content.${part.type}`, 'a stored file has no address in chat');
    return [];
  }
  if (part.type === 'image') {
    const detail = part.detail === undefined ? {} : { detail: part.detail };
    return [{ type: 'image_url', image_url: { url, ...detail }, ...cache }];
  }
  if (part.type === 'video') return [{ type: 'video_url', video_url: { url }, ...cache }];
  const inline = inlineOf(part);
  if (inline === undefined) {
    drop(options.notes, 'content.audio', 'chat takes recordings only by content');
    return [];
  }
  const audio = { data: inline.data, format: audioFormatOf(inline.mediaType) };
  return [{ type: 'input_audio', input_audio: audio, ...cache }];
}

function encodeFile(part: MediaPart, cache: Json, { notes }: PartOptions): Json[] {
  if (part.text !== undefined) return [{ type: 'text', text: titled(part, part.text), ...cache }];
  const inline = inlineOf(part);
  if (inline === undefined && part.fileId === undefined) {
    drop(notes, 'content.file', 'chat takes files by content or id, not by address');
    return [];
  }
  const file = {
    ...(inline === undefined ? {} : { file_data: dataUrl(inline) }),
    ...(part.fileId === undefined ? {} : { file_id: part.fileId }),
    // OpenAI refuses a file without a name.
    ...(part.filename === undefined
      ? inline === undefined
        ? {}
        : { filename: 'file' }
      : { filename: part.filename }),
  };
  return [{ type: 'file', file, ...cache }];
}

/** A plain-text document where only text is accepted. */
export const titled = (part: MediaPart, content: string): string =>
  part.filename === undefined ? content : `${part.filename}\n\n${content}`;
