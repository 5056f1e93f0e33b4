// Input items of OpenAI's Responses API to canonical messages. Consecutive assistant items (reasoning, text, calls) become
// one message, so that parallel calls stay together.
import type {
  CanonicalMessage,
  CanonicalPart,
  ConversionNote,
  MediaPart,
} from '#server/formats/canonical.ts';
import { drop } from '#server/formats/extras.ts';
import {
  FormatError,
  objectAt,
  objects,
  objectsAt,
  optionalText,
  text,
  textAt,
  type Json,
} from '#server/formats/json.ts';
import { mediaFromUrl, mediaTypeOfAudio, mediaTypeOfName, parseDataUrl } from '#server/formats/media.ts';
import { placeGoogleSignatures, decodeSignature } from '#server/formats/signatures.ts';
import type { ToolNames } from '#server/formats/tool-names.ts';

export interface DecodeContext {
  names: ToolNames;
  notes: ConversionNote[];
}

export function decodeInput(input: unknown, context: DecodeContext): CanonicalMessage[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'text', text: input }] }];
  const messages: CanonicalMessage[] = [];
  for (const [index, item] of objectsAt(input, 'input').entries())
    addItem(messages, item, `input[${index}]`, context);
  for (const message of messages) {
    if (message.role === 'assistant') message.content = placeGoogleSignatures(message.content);
  }
  return messages;
}

function addItem(messages: CanonicalMessage[], item: Json, path: string, context: DecodeContext): void {
  const type = optionalText(item['type'], `${path}.type`) ?? 'message';
  switch (type) {
    case 'message':
      addMessage(messages, item, path, context);
      return;
    case 'function_call':
    case 'custom_tool_call': {
      const isCustom = type === 'custom_tool_call';
      const namespace = optionalText(item['namespace'], `${path}.namespace`);
      const given = isCustom ? text(item['input']) : text(item['arguments']) || '{}';
      assistant(messages).push({
        type: 'tool_call',
        id: textAt(item['call_id'], `${path}.call_id`),
        name: context.names.of(textAt(item['name'], `${path}.name`), namespace),
        arguments: given,
        ...(isCustom ? { isCustom } : {}),
      });
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const isCustom = type === 'custom_tool_call_output';
      const content = decodeContent(item['output'], `${path}.output`, context);
      const callId = textAt(item['call_id'], `${path}.call_id`);
      const result = { type: 'tool_result', callId, content, ...(isCustom ? { isCustom } : {}) } as const;
      messages.push({ role: 'tool', content: [result] });
      return;
    }
    case 'reasoning':
      assistant(messages).push(decodeReasoning(item));
      return;
    default:
      assistant(messages).push({ type: 'provider', origin: 'openai', item });
  }
}

/** The parts of the current assistant turn. */
function assistant(messages: CanonicalMessage[]): CanonicalPart[] {
  let last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push((last = { role: 'assistant', content: [] }));
  return last.content;
}

const roles = new Set(['user', 'assistant', 'system', 'developer']);

function addMessage(messages: CanonicalMessage[], item: Json, path: string, context: DecodeContext): void {
  const role = textAt(item['role'], `${path}.role`);
  if (!roles.has(role)) throw new FormatError(`${path}.role`, `one of ${[...roles].join(', ')}`);
  const content = decodeContent(item['content'], `${path}.content`, context);
  const last = messages.at(-1);
  if (role === 'assistant' && last?.role === 'assistant') {
    const hasText = last.content.some((part) => part.type === 'text');
    const hasCalls = last.content.some((part) => part.type === 'tool_call');
    if (!hasText || hasCalls) {
      last.content.push(...content);
      return;
    }
  }
  messages.push({ role: role as CanonicalMessage['role'], content });
}

function decodeReasoning(item: Json): CanonicalPart {
  const pieces = objects(item['content']).length > 0 ? objects(item['content']) : objects(item['summary']);
  const thought = pieces.map((piece) => text(piece['text'])).join('\n\n');
  const encrypted = text(item['encrypted_content']);
  const id = text(item['id']);
  if (encrypted === '') return { type: 'reasoning', text: thought };
  const decoded = decodeSignature(encrypted, 'openai', thought === '');
  const named = decoded.origin === 'openai' && id !== '' ? { id } : {};
  return { type: 'reasoning', text: thought, ...named, ...decoded };
}

function decodeContent(content: unknown, path: string, context: DecodeContext): CanonicalPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw new FormatError(path, 'a string or an array');
  return objectsAt(content, path).flatMap((part, index) => decodePart(part, `${path}[${index}]`, context));
}

function decodePart(part: Json, path: string, { notes }: DecodeContext): CanonicalPart[] {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
      return [{ type: 'text', text: textAt(part['text'], `${path}.text`) }];
    case 'refusal':
      return [{ type: 'refusal', text: textAt(part['refusal'], `${path}.refusal`) }];
    case 'input_image':
      return [decodeImage(part, path)];
    case 'input_file':
      return [decodeFile(part, path)];
    case 'input_audio': {
      const audio = objectAt(part['input_audio'], `${path}.input_audio`);
      const data = textAt(audio['data'], `${path}.input_audio.data`);
      return [{ type: 'audio', data, mediaType: mediaTypeOfAudio(text(audio['format']) || 'wav') }];
    }
    default:
      drop(notes, `content.${text(part['type']) || 'part'}`, 'unknown part');
      return [];
  }
}

function decodeImage(part: Json, path: string): MediaPart {
  const detail = optionalText(part['detail'], `${path}.detail`);
  const url = optionalText(part['image_url'], `${path}.image_url`);
  const fileId = optionalText(part['file_id'], `${path}.file_id`);
  return {
    ...(url === undefined ? { type: 'image' } : mediaFromUrl('image', url)),
    ...(fileId === undefined ? {} : { fileId }),
    ...(detail === undefined ? {} : { detail }),
  };
}

function decodeFile(part: Json, path: string): MediaPart {
  const filename = optionalText(part['filename'], `${path}.filename`);
  const fileId = optionalText(part['file_id'], `${path}.file_id`);
  const url = optionalText(part['file_url'], `${path}.file_url`);
  const data = optionalText(part['file_data'], `${path}.file_data`);
  const inline = data === undefined ? undefined : parseDataUrl(data);
  const mediaType = mediaTypeOfName(filename);
  return {
    type: 'file',
    ...(data === undefined ? {} : (inline ?? { data, ...(mediaType === undefined ? {} : { mediaType }) })),
    ...(url === undefined ? {} : { url }),
    ...(fileId === undefined ? {} : { fileId }),
    ...(filename === undefined ? {} : { filename }),
  };
}
