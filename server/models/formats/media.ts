// Images, recordings and documents: data URLs parsed and built, and media type names that differ between formats.
import type { CanonicalMessage, CanonicalPart, ConversionNote, MediaPart } from './canonical.ts';
import { approximate } from './extras.ts';
import { lookup } from './json.ts';

export interface Inline {
  mediaType: string;
  /** Base64. */
  data: string;
}

/** The content of a base64 data URL; undefined for any other URL. */
export function parseDataUrl(url: string): Inline | undefined {
  if (!url.startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  if (comma < 0) return undefined;
  const head = url.slice(5, comma);
  if (!head.endsWith(';base64')) return undefined;
  return { mediaType: head.slice(0, -7).split(';')[0] ?? '', data: url.slice(comma + 1) };
}

export const dataUrl = ({ mediaType, data }: Inline): string => `data:${mediaType};base64,${data}`;

const BY_EXTENSION: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** The media type by the file extension of a name or URL. */
export function mediaTypeOfName(name: string | undefined): string | undefined {
  const path = name?.split(/[?#]/)[0] ?? '';
  const dot = path.lastIndexOf('.');
  if (dot < 0) return undefined;
  const extension = path.slice(dot + 1).toLowerCase();
  return lookup(BY_EXTENSION, extension);
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
};

/** OpenAI names the format of a recording (`wav`), others its media type (`audio/wav`). */
export const audioFormatOf = (mediaType: string): string =>
  lookup(AUDIO_FORMATS, mediaType) ?? mediaType.slice(mediaType.indexOf('/') + 1);

export const mediaTypeOfAudio = (format: string): string =>
  format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;

export const isMedia = (part: CanonicalPart): part is MediaPart =>
  part.type === 'image' || part.type === 'audio' || part.type === 'video' || part.type === 'file';

/**
 * Pictures of the assistant's, for upstreams whose own turns hold text only: they come with the user's next words, after the
 * results of calls.
 */
export function withShownPictures(
  messages: readonly CanonicalMessage[],
  notes: ConversionNote[],
): readonly CanonicalMessage[] {
  if (!messages.some((message) => message.role === 'assistant' && message.content.some(isMedia)))
    return messages;
  approximate(notes, 'content.image', 'a picture of the assistant’s is shown with the user’s next words');
  const shown: CanonicalMessage[] = [];
  let pictures: CanonicalPart[] = [];
  for (const message of messages) {
    const { role, content } = message;
    if (pictures.length > 0 && role !== 'tool') {
      if (role === 'user') shown.push({ ...message, content: [...pictures, ...content] });
      else shown.push({ role: 'user', content: pictures });
      pictures = [];
      if (role === 'user') continue;
    }
    if (role !== 'assistant') {
      shown.push(message);
      continue;
    }
    pictures = content.filter(isMedia);
    const rest = content.filter((part) => !isMedia(part));
    if (rest.length > 0) shown.push({ ...message, content: rest });
  }
  return pictures.length === 0 ? shown : [...shown, { role: 'user', content: pictures }];
}

/** The kind of part for a media type. */
export function kindOfMedia(mediaType: string): MediaPart['type'] {
  const kind = mediaType.slice(0, mediaType.indexOf('/'));
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}

/** The content of a part with data, inline or as a data URL. */
export function inlineOf(part: MediaPart): Inline | undefined {
  if (part.data !== undefined) {
    const mediaType = part.mediaType ?? mediaTypeOfName(part.filename) ?? GUESSES[part.type];
    return { mediaType, data: part.data };
  }
  return part.url === undefined ? undefined : parseDataUrl(part.url);
}

const GUESSES: Readonly<Record<MediaPart['type'], string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  file: 'application/pdf',
};

/** A part from a URL: a data URL becomes content, so that every format finds content in one place. */
export function mediaFromUrl(type: MediaPart['type'], url: string): MediaPart {
  const inline = parseDataUrl(url);
  return inline === undefined ? { type, url } : { type, ...inline };
}

/** The URL of a part, for formats that accept only URLs. */
export function urlOf(part: MediaPart): string | undefined {
  const inline = inlineOf(part);
  return inline === undefined ? part.url : dataUrl(inline);
}
