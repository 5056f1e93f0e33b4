// Content blocks of Anthropic's messages to canonical parts and back.
import type {
  CacheHint,
  CanonicalCitation,
  CanonicalPart,
  ConversionNote,
  MediaPart,
} from '#server/formats/canonical.ts';
import {
  FormatError,
  isObject,
  objectAt,
  objectsAt,
  optionalBoolean,
  optionalText,
  text,
  textAt,
  type Json,
} from '#server/formats/json.ts';
import { mediaFromUrl } from '#server/formats/media.ts';
import { decodeSignature } from '#server/formats/signatures.ts';
import type { ToolNames } from '#server/formats/tool-names.ts';

export function decodeCache(holder: Json): { cache?: CacheHint } {
  const control = holder['cache_control'];
  if (!isObject(control)) return {};
  const { ttl } = control;
  return { cache: ttl === '5m' || ttl === '1h' ? { ttl } : {} };
}

export const encodeCache = (cache: CacheHint | undefined): Json =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache.ttl === undefined ? {} : { ttl: cache.ttl }) } };

export interface DecodeContext {
  names: ToolNames;
  notes: ConversionNote[];
  /** The nesting depth of blocks. */
  depth: number;
}

/** A result contains text, a document contains text: valid content is not deeper. */
const deepest = 4;

export function decodeBlocks(content: unknown, path: string, outer: DecodeContext): CanonicalPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw new FormatError(path, 'a string or an array');
  if (outer.depth > deepest) throw new FormatError(path, 'less deeply nested');
  const context = { ...outer, depth: outer.depth + 1 };
  return objectsAt(content, path).map((block, index) => decodeBlock(block, `${path}[${index}]`, context));
}

function decodeBlock(block: Json, path: string, context: DecodeContext): CanonicalPart {
  const cache = decodeCache(block);
  switch (block['type']) {
    case 'text': {
      const citations = decodeCitations(block['citations']);
      return {
        type: 'text',
        text: textAt(block['text'], `${path}.text`),
        ...cache,
        ...(citations.length === 0 ? {} : { citations }),
      };
    }
    case 'image':
      return { ...decodeSource(block, 'image', path, context), ...cache };
    case 'document':
      return { ...decodeDocument(block, path, context), ...cache };
    case 'search_result': {
      const { type: _type, cache_control: _cache, content, ...options } = block;
      const inner = decodeBlocks(content, `${path}.content`, context);
      const documentText = inner.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return {
        type: 'file',
        text: documentText,
        filename: text(block['title']),
        options: { search_result: options },
        ...cache,
      };
    }
    case 'thinking': {
      const signature = optionalText(block['signature'], `${path}.signature`) ?? '';
      const signed = signature === '' ? {} : decodeSignature(signature, 'anthropic');
      return { type: 'reasoning', text: textAt(block['thinking'], `${path}.thinking`), ...signed };
    }
    case 'redacted_thinking': {
      const decoded = decodeSignature(textAt(block['data'], `${path}.data`), 'anthropic', true);
      return { type: 'reasoning', text: '', ...decoded };
    }
    case 'tool_use':
      return {
        type: 'tool_call',
        id: textAt(block['id'], `${path}.id`),
        name: context.names.of(textAt(block['name'], `${path}.name`)),
        arguments: JSON.stringify(block['input'] ?? {}),
        ...cache,
      };
    case 'tool_result': {
      const isError = optionalBoolean(block['is_error'], `${path}.is_error`);
      return {
        type: 'tool_result',
        callId: textAt(block['tool_use_id'], `${path}.tool_use_id`),
        content: decodeBlocks(block['content'], `${path}.content`, context),
        ...(isError === undefined ? {} : { isError }),
        ...cache,
      };
    }
    default:
      textAt(block['type'], `${path}.type`);
      return { type: 'provider', origin: 'anthropic', item: block };
  }
}

export function decodeCitations(given: unknown): CanonicalCitation[] {
  return Array.isArray(given) ? (given as unknown[]).filter(isObject).map(decodeCitation) : [];
}

export function decodeCitation(raw: Json): CanonicalCitation {
  const title = text(raw['title']) || text(raw['document_title']);
  const url = text(raw['url']) || text(raw['source']);
  const citedText = text(raw['cited_text']);
  return {
    ...(url === '' ? {} : { url }),
    ...(title === '' ? {} : { title }),
    ...(citedText === '' ? {} : { citedText }),
    origin: 'anthropic',
    raw,
  };
}

function decodeSource(block: Json, type: MediaPart['type'], path: string, context: DecodeContext): MediaPart {
  const source = objectAt(block['source'], `${path}.source`);
  switch (source['type']) {
    case 'base64':
      return {
        type,
        data: textAt(source['data'], `${path}.source.data`),
        mediaType: textAt(source['media_type'], `${path}.source.media_type`),
      };
    case 'url':
      return mediaFromUrl(type, textAt(source['url'], `${path}.source.url`));
    case 'file':
      return { type, fileId: textAt(source['file_id'], `${path}.source.file_id`) };
    case 'text':
      return { type, text: textAt(source['data'], `${path}.source.data`), mediaType: 'text/plain' };
    case 'content': {
      const inner = decodeBlocks(source['content'], `${path}.source.content`, context);
      const content = inner.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      return { type, text: content, mediaType: 'text/plain', options: { source } };
    }
    default:
      throw new FormatError(`${path}.source.type`, 'one of base64, url, file, text, content');
  }
}

function decodeDocument(block: Json, path: string, context: DecodeContext): MediaPart {
  const part = decodeSource(block, 'file', path, context);
  const title = optionalText(block['title'], `${path}.title`);
  const { citations, context: about } = block;
  const options = {
    ...part.options,
    ...(isObject(citations) ? { citations } : {}),
    ...(typeof about === 'string' ? { context: about } : {}),
  };
  return {
    ...part,
    ...(title === undefined ? {} : { filename: title }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}
