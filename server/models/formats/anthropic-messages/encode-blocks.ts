// Canonical parts to content blocks of Anthropic's messages.
import type {
  CanonicalPart,
  ConversionNote,
  MediaPart,
  ReasoningPart,
} from '#server/models/formats/canonical.ts';
import { encodeCache } from '#server/models/formats/cache-control.ts';
import { drop, dropAttachment } from '#server/models/formats/extras.ts';
import { parseArguments, type Json } from '#server/models/formats/json.ts';
import { inlineOf } from '#server/models/formats/media.ts';
import { safeCallId, wrapCustom } from '#server/models/formats/tool-names.ts';

export interface EncodeContext {
  notes: ConversionNote[];
  /** File ids are valid only at Anthropic. */
  ownsFiles: boolean;
}

export function encodeParts(parts: readonly CanonicalPart[], context: EncodeContext): Json[] {
  return parts.flatMap((part) => encodePart(part, context));
}

function encodePart(part: CanonicalPart, context: EncodeContext): Json[] {
  const { notes } = context;
  switch (part.type) {
    case 'text': {
      // Anthropic refuses empty text.
      if (part.text === '') return [];
      const citations =
        part.citations?.filter(({ origin }) => origin === 'anthropic').map(({ raw }) => raw) ?? [];
      return [
        {
          type: 'text',
          text: part.text,
          ...encodeCache(part.cache),
          ...(citations.length === 0 ? {} : { citations }),
        },
      ];
    }
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      return encodeImage(part, context);
    case 'file':
      return encodeFile(part, context);
    case 'audio':
    case 'video':
      dropAttachment(notes, part.type, 'Claude takes text, pictures and documents');
      return [];
    case 'reasoning':
      return encodeReasoning(part, context);
    case 'tool_call': {
      const given = part.isCustom === true ? wrapCustom(part.arguments) : part.arguments;
      const input = parseArguments(given);
      return [
        { type: 'tool_use', id: safeCallId(part.id), name: part.name, input, ...encodeCache(part.cache) },
      ];
    }
    case 'tool_result': {
      const content = encodeResult(part.content, context);
      return [
        {
          type: 'tool_result',
          tool_use_id: safeCallId(part.callId),
          ...(content === undefined ? {} : { content }),
          ...(part.isError === undefined ? {} : { is_error: part.isError }),
          ...encodeCache(part.cache),
        },
      ];
    }
    default:
      if (part.origin === 'anthropic') return [part.item];
      drop(notes, 'content.provider', 'an item of another provider’s own');
      return [];
  }
}

function encodeResult(parts: readonly CanonicalPart[], context: EncodeContext): string | Json[] | undefined {
  const [only] = parts;
  if (only === undefined) return undefined;
  if (parts.length === 1 && only.type === 'text' && only.cache === undefined) return only.text;
  return encodeParts(parts, context);
}

/** Reasoning without a signature is dropped: Anthropic would refuse the whole request. */
function encodeReasoning(part: ReasoningPart, { notes }: EncodeContext): Json[] {
  if (part.origin === 'anthropic') {
    if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }];
    if (part.signature !== undefined)
      return [{ type: 'thinking', thinking: part.text, signature: part.signature }];
  }
  drop(notes, 'content.reasoning', 'a thought that Claude has not signed');
  return [];
}

const isElsewhere = (url: string): boolean =>
  url.startsWith('gs://') || url.includes('generativelanguage.googleapis.com');

function sourceOf(part: MediaPart, { ownsFiles, notes }: EncodeContext): Json | undefined {
  const inline = inlineOf(part);
  if (inline !== undefined) return { type: 'base64', media_type: inline.mediaType, data: inline.data };
  if (part.fileId !== undefined && ownsFiles) return { type: 'file', file_id: part.fileId };
  if (part.url !== undefined && !isElsewhere(part.url)) return { type: 'url', url: part.url };
  dropAttachment(notes, part.type, 'a file kept with another provider');
  return undefined;
}

function encodeImage(part: MediaPart, context: EncodeContext): Json[] {
  const source = sourceOf(part, context);
  return source === undefined ? [] : [{ type: 'image', source, ...encodeCache(part.cache) }];
}

const isTextual = (mediaType: string): boolean =>
  mediaType.startsWith('text/') || mediaType === 'application/json' || mediaType === 'application/xml';

function encodeFile(part: MediaPart, context: EncodeContext): Json[] {
  const { search_result: result, source: given, ...options } = part.options ?? {};
  const title = part.filename === undefined ? {} : { title: part.filename };
  if (result !== undefined)
    return [{ type: 'search_result', ...(result as Json), ...encodeCache(part.cache) }];
  const source = (given as Json | undefined) ?? documentSource(part, context);
  if (source === undefined) return [];
  return [{ type: 'document', source, ...title, ...options, ...encodeCache(part.cache) }];
}

function documentSource(part: MediaPart, context: EncodeContext): Json | undefined {
  if (part.text !== undefined) return { type: 'text', media_type: 'text/plain', data: part.text };
  const source = sourceOf(part, context);
  if (source?.['type'] !== 'base64' || source['media_type'] === 'application/pdf') return source;
  const mediaType = String(source['media_type']);
  if (isTextual(mediaType)) {
    const data = Buffer.from(String(source['data']), 'base64').toString();
    return { type: 'text', media_type: 'text/plain', data };
  }
  dropAttachment(context.notes, 'file', `Claude reads PDF and text, not ${mediaType}`);
  return undefined;
}
