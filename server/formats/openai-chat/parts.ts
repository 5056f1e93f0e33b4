// Content of chat messages: strings and arrays of parts to canonical parts and back.
import type { CacheHint, CanonicalPart, ConversionNote } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/openai-usage.ts';

type Json = Record<string, unknown>;

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function decodeContent(content: unknown, notes: ConversionNote[]): CanonicalPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).flatMap((part) => (isObject(part) ? decodePart(part, notes) : []));
}

function decodePart(part: Json, notes: ConversionNote[]): CanonicalPart[] {
  const cache = cacheOf(part);
  switch (part['type']) {
    case 'text':
      return [{ type: 'text', text: text(part['text']), ...cache }];
    case 'refusal':
      return [{ type: 'refusal', text: text(part['refusal']) }];
    case 'image_url': {
      const image = isObject(part['image_url']) ? part['image_url'] : { url: part['image_url'] };
      const detail = typeof image['detail'] === 'string' ? { detail: image['detail'] } : {};
      return [{ type: 'image', url: text(image['url']), ...detail, ...cache }];
    }
    case 'input_audio': {
      const audio = isObject(part['input_audio']) ? part['input_audio'] : {};
      return [{ type: 'audio', data: text(audio['data']), format: text(audio['format']) }];
    }
    case 'file': {
      const file = isObject(part['file']) ? part['file'] : {};
      return [
        {
          type: 'file',
          ...(file['file_data'] === undefined ? {} : { data: text(file['file_data']) }),
          ...(file['file_id'] === undefined ? {} : { fileId: text(file['file_id']) }),
          ...(file['filename'] === undefined ? {} : { filename: text(file['filename']) }),
          ...cache,
        },
      ];
    }
    default:
      notes.push({
        field: `content.${text(part['type']) || 'part'}`,
        what: 'dropped',
        detail: 'unknown part',
      });
      return [];
  }
}

/** Callers of OpenAI's shape hint at caches with Anthropic's field; losing it shows only on the bill. */
function cacheOf(part: Json): { cache?: CacheHint } {
  const control = part['cache_control'];
  if (!isObject(control)) return {};
  const { ttl } = control;
  return { cache: ttl === '1h' || ttl === '5m' ? { ttl } : {} };
}

const cacheField = (cache: CacheHint | undefined): Json =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache.ttl === undefined ? {} : { ttl: cache.ttl }) } };

/** A single plain text stays a string, as most upstreams like it best. */
export function encodeContent(
  parts: readonly CanonicalPart[],
  notes: ConversionNote[],
): string | Json[] | null {
  const [only] = parts;
  if (only === undefined) return null;
  if (parts.length === 1 && only.type === 'text' && only.cache === undefined) return only.text;
  return parts.flatMap((part) => encodePart(part, notes));
}

function encodePart(part: CanonicalPart, notes: ConversionNote[]): Json[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...cacheField(part.cache) }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }];
    case 'image': {
      const detail = part.detail === undefined ? {} : { detail: part.detail };
      return [{ type: 'image_url', image_url: { url: part.url, ...detail }, ...cacheField(part.cache) }];
    }
    case 'audio':
      return [{ type: 'input_audio', input_audio: { data: part.data, format: part.format } }];
    case 'file':
      return [
        {
          type: 'file',
          file: {
            ...(part.data === undefined ? {} : { file_data: part.data }),
            ...(part.fileId === undefined ? {} : { file_id: part.fileId }),
            ...(part.filename === undefined ? {} : { filename: part.filename }),
          },
          ...cacheField(part.cache),
        },
      ];
    default:
      notes.push({
        field: `content.${part.type}`,
        what: 'dropped',
        detail: 'has no place in a chat message',
      });
      return [];
  }
}
