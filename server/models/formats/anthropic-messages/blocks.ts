// Content blocks of Anthropic's messages to canonical parts and back.
import type {
  CanonicalCitation,
  CanonicalPart,
  ConversionNote,
  MediaPart,
} from '#server/models/formats/canonical.ts';
import { decodeCache } from '#server/models/formats/cache-control.ts';
import type { Fields } from '#server/models/formats/fields.ts';
import {
  FormatError,
  isObject,
  objects,
  text,
  withoutUndefined,
  type Json,
} from '#server/models/formats/json.ts';
import { mediaFromUrl } from '#server/models/formats/media.ts';
import { decodeSignature } from '#server/models/formats/signatures.ts';
import type { ToolNames } from '#server/models/formats/tool-names.ts';

export interface DecodeContext {
  names: ToolNames;
  notes: ConversionNote[];
  /** The nesting depth of blocks. */
  depth: number;
}

/** A result contains text, a document contains text: valid content is not deeper. */
const DEEPEST = 4;

export function decodeBlocks(holder: Fields, name: string, outer: DecodeContext): CanonicalPart[] {
  if (outer.depth > DEEPEST && Array.isArray(holder.get(name)))
    throw new FormatError(holder.at(name), 'less deeply nested');
  const context = { ...outer, depth: outer.depth + 1 };
  return holder.content(name, (block) => [decodeBlock(block, context)]);
}

function decodeBlock(block: Fields, context: DecodeContext): CanonicalPart {
  const cache = decodeCache(block);
  const type = block.get('type');
  switch (type) {
    case 'text': {
      const citations = decodeCitations(block.get('citations'));
      const cited = citations.length === 0 ? {} : { citations };
      return { type, text: block.text('text'), ...cache, ...cited };
    }
    case 'image':
      return { ...decodeSource(block.object('source'), type, context), ...cache };
    case 'document':
      return { ...decodeDocument(block, context), ...cache };
    case 'search_result': {
      const { type: _type, cache_control: _cache, ...options } = block.whole();
      return {
        type: 'file',
        text: textOf(block, context),
        filename: text(block.get('title')),
        options: { search_result: options },
        ...cache,
      };
    }
    case 'thinking': {
      const signature = block.optionalText('signature') ?? '';
      const signed = signature === '' ? {} : decodeSignature(signature, 'anthropic');
      return { type: 'reasoning', text: block.text('thinking'), ...signed };
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', ...decodeSignature(block.text('data'), 'anthropic', true) };
    case 'tool_use':
      return {
        type: 'tool_call',
        id: block.text('id'),
        name: context.names.of(block.text('name')),
        arguments: JSON.stringify(block.get('input') ?? {}),
        ...cache,
      };
    case 'tool_result':
      return withoutUndefined<CanonicalPart>({
        type,
        callId: block.text('tool_use_id'),
        content: decodeBlocks(block, 'content', context),
        isError: block.optionalBoolean('is_error'),
        ...cache,
      });
    default:
      block.text('type');
      return { type: 'provider', origin: 'anthropic', item: block.whole() };
  }
}

/** The text of the blocks in `content`. */
function textOf(holder: Fields, context: DecodeContext): string {
  const inner = decodeBlocks(holder, 'content', context);
  return inner.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

export function decodeCitations(given: unknown): CanonicalCitation[] {
  return objects(given).map(decodeCitation);
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

function decodeSource(source: Fields, type: MediaPart['type'], context: DecodeContext): MediaPart {
  switch (source.get('type')) {
    case 'base64':
      return { type, data: source.text('data'), mediaType: source.text('media_type') };
    case 'url':
      return mediaFromUrl(type, source.text('url'));
    case 'file':
      return { type, fileId: source.text('file_id') };
    case 'text':
      return { type, text: source.text('data'), mediaType: 'text/plain' };
    case 'content': {
      const content = textOf(source, context);
      return { type, text: content, mediaType: 'text/plain', options: { source: source.whole() } };
    }
    default:
      throw new FormatError(source.at('type'), 'one of base64, url, file, text, content');
  }
}

function decodeDocument(block: Fields, context: DecodeContext): MediaPart {
  const part = decodeSource(block.object('source'), 'file', context);
  const [citations, about] = [block.get('citations'), block.get('context')];
  const options = {
    ...part.options,
    ...(isObject(citations) ? { citations } : {}),
    ...(typeof about === 'string' ? { context: about } : {}),
  };
  return withoutUndefined<MediaPart>({
    ...part,
    filename: block.optionalText('title'),
    options: Object.keys(options).length === 0 ? undefined : options,
  });
}
