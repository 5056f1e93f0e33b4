// Content of chat messages: strings and arrays of parts to canonical parts and back.
import type {
  CacheHint,
  CanonicalPart,
  ConversionNote,
  MediaPart,
} from '#server/models/formats/canonical.ts';
import { decodeCache, encodeCache } from '#server/models/formats/cache-control.ts';
import { drop, dropAttachment } from '#server/models/formats/extras.ts';
import type { Fields } from '#server/models/formats/fields.ts';
import { isObject, text, withoutUndefined, type Json } from '#server/models/formats/json.ts';
import {
  audioFormatOf,
  dataUrl,
  inlineOf,
  mediaFromUrl,
  mediaTypeOfAudio,
  mediaTypeOfName,
  parseDataUrl,
  urlOf,
} from '#server/models/formats/media.ts';

export const decodeContent = (holder: Fields, name: string, notes: ConversionNote[]): CanonicalPart[] =>
  holder.content(name, (part) => decodePart(part, notes), { withTexts: true });

function decodePart(part: Fields, notes: ConversionNote[]): CanonicalPart[] {
  const cache = decodeCache(part);
  const type = part.get('type');
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: part.text('text'), ...cache }];
    case 'refusal':
      return [{ type: 'refusal', text: part.text('refusal') }];
    case 'image_url':
      return [{ ...decodeImage(part), ...cache }];
    case 'video_url': {
      const given = part.get('video_url');
      if (!isObject(given)) return [{ ...mediaFromUrl('video', part.text('video_url')), ...cache }];
      return [{ ...mediaFromUrl('video', part.object('video_url').text('url')), ...cache }];
    }
    case 'input_audio':
      return [{ ...decodeAudio(part.object('input_audio')), ...cache }];
    case 'file':
      return [{ ...decodeFile(part.object('file')), ...cache }];
    default:
      drop(notes, `content.${text(type) || 'part'}`, 'unknown part');
      return [];
  }
}

export const decodeAudio = (audio: Fields): MediaPart => ({
  type: 'audio',
  data: audio.text('data'),
  mediaType: mediaTypeOfAudio(text(audio.get('format')) || 'wav'),
});

function decodeImage(part: Fields): MediaPart {
  const given = part.get('image_url');
  if (typeof given === 'string') return mediaFromUrl('image', given);
  const image = part.object('image_url');
  return withoutUndefined<MediaPart>({
    ...mediaFromUrl('image', image.text('url')),
    detail: image.optionalText('detail'),
  });
}

/** A file of a chat or of Responses, where it may also have a URL. */
export function decodeFile(file: Fields): MediaPart {
  const filename = file.optionalText('filename');
  const data = file.optionalText('file_data');
  const inline = data === undefined ? undefined : parseDataUrl(data);
  return withoutUndefined<MediaPart>({
    type: 'file',
    ...(data === undefined ? {} : (inline ?? { data, mediaType: mediaTypeOfName(filename) })),
    url: file.optionalText('file_url'),
    fileId: file.optionalText('file_id'),
    filename,
  });
}

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

const cacheFor = (cache: CacheHint | undefined, { keepsCache }: PartOptions): Json =>
  keepsCache ? encodeCache(cache) : {};

function encodeMedia(part: MediaPart, options: PartOptions): Json[] {
  const cache = cacheFor(part.cache, options);
  if (part.type === 'file') return encodeFile(part, cache, options);
  const url = urlOf(part);
  if (url === undefined) {
    dropAttachment(options.notes, part.type, 'a stored file has no address in chat');
    return [];
  }
  if (part.type === 'image') {
    const detail = part.detail === undefined ? {} : { detail: part.detail };
    return [{ type: 'image_url', image_url: { url, ...detail }, ...cache }];
  }
  if (part.type === 'video') return [{ type: 'video_url', video_url: { url }, ...cache }];
  const inline = inlineOf(part);
  if (inline === undefined) {
    dropAttachment(options.notes, 'audio', 'chat takes recordings only by content');
    return [];
  }
  const audio = { data: inline.data, format: audioFormatOf(inline.mediaType) };
  return [{ type: 'input_audio', input_audio: audio, ...cache }];
}

function encodeFile(part: MediaPart, cache: Json, { notes }: PartOptions): Json[] {
  if (part.text !== undefined) return [{ type: 'text', text: titled(part, part.text), ...cache }];
  const inline = inlineOf(part);
  if (inline === undefined && part.fileId === undefined) {
    dropAttachment(notes, 'file', 'chat takes files by content or id, not by address');
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
