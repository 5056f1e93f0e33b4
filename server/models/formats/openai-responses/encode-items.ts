// Canonical messages to input items of OpenAI's Responses API.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  ConversionNote,
  MediaPart,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from '#server/models/formats/canonical.ts';
import { drop, dropAttachment } from '#server/models/formats/extras.ts';
import type { Json } from '#server/models/formats/json.ts';
import { audioFormatOf, dataUrl, inlineOf, urlOf, withShownPictures } from '#server/models/formats/media.ts';
import { safeCallId, toolFinder } from '#server/models/formats/tool-names.ts';

interface Context {
  notes: ConversionNote[];
  /** File ids are valid only at OpenAI. */
  ownsFiles: boolean;
  /** Items are stored upstream, so their ids are valid. */
  isStored: boolean;
  isOwn: boolean;
  find: ReturnType<typeof toolFinder>;
}

export interface EncodedInput {
  instructions?: string;
  input: Json[];
}

export function encodeInput(
  request: CanonicalRequest,
  isStored: boolean,
  notes: ConversionNote[],
): EncodedInput {
  const context: Context = {
    notes,
    ownsFiles: request.format === 'openai-chat' || request.format === 'openai-responses',
    isStored,
    isOwn: request.format === 'openai-responses',
    find: toolFinder(request),
  };
  const turns = withShownPictures(request.messages, notes);
  const [first, ...rest] = turns;
  const instructions = first?.role === 'system' ? plainText(first) : undefined;
  const messages = instructions === undefined ? turns : rest;
  return {
    ...(instructions === undefined ? {} : { instructions }),
    input: messages.flatMap((message) => encodeMessage(message, context)),
  };
}

/** The instructions, if they are only text. */
function plainText(message: CanonicalMessage): string | undefined {
  const texts: string[] = [];
  for (const part of message.content) {
    if (part.type !== 'text') return undefined;
    texts.push(part.text);
  }
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function encodeMessage(message: CanonicalMessage, context: Context): Json[] {
  const items: Json[] = [];
  let content: Json[] = [];
  const role = message.role === 'tool' ? 'user' : message.role;
  const flush = (): void => {
    if (content.length === 0) return;
    items.push({ type: 'message', role, content: simplified(content) });
    content = [];
  };
  for (const part of message.content) {
    switch (part.type) {
      case 'tool_call':
        flush();
        items.push(encodeCall(part, context));
        break;
      case 'tool_result':
        flush();
        items.push(encodeResult(part, context));
        break;
      case 'reasoning':
        flush();
        items.push(...encodeReasoning(part, context));
        break;
      case 'provider':
        flush();
        if (part.origin === 'openai') items.push(part.item);
        else drop(context.notes, 'content.provider', 'an item of another provider’s own');
        break;
      default:
        content.push(...encodePart(part, role === 'assistant', context));
    }
  }
  flush();
  return items;
}

/** A single text is a string, which every compatible upstream accepts. */
function simplified(content: Json[]): string | Json[] {
  const [only] = content;
  const isText = only?.['type'] === 'input_text' || only?.['type'] === 'output_text';
  return content.length === 1 && isText ? String(only?.['text']) : content;
}

function encodePart(part: CanonicalPart, isAssistant: boolean, context: Context): Json[] {
  switch (part.type) {
    case 'text':
      return isAssistant
        ? [{ type: 'output_text', text: part.text, annotations: [] }]
        : [{ type: 'input_text', text: part.text }];
    case 'refusal':
      return [{ type: 'refusal', refusal: part.text }];
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(part, context);
    default:
      drop(context.notes, `content.${part.type}`, 'has no place in a message or a result');
      return [];
  }
}

function encodeMedia(part: MediaPart, context: Context): Json[] {
  const { notes, ownsFiles } = context;
  const fileId = part.fileId !== undefined && ownsFiles ? { file_id: part.fileId } : undefined;
  if (part.type === 'file') return encodeFile(part, fileId, context);
  const inline = inlineOf(part);
  if (part.type === 'audio' && inline !== undefined) {
    const audio = { data: inline.data, format: audioFormatOf(inline.mediaType) };
    return [{ type: 'input_audio', input_audio: audio }];
  }
  const url = urlOf(part);
  if (part.type !== 'image' || (url === undefined && fileId === undefined)) {
    dropAttachment(
      notes,
      part.type,
      part.type === 'image' ? 'a file kept with another provider' : 'has no item',
    );
    return [];
  }
  const detail = { detail: part.detail ?? 'auto' };
  return [{ type: 'input_image', ...(url === undefined ? {} : { image_url: url }), ...fileId, ...detail }];
}

function encodeFile(part: MediaPart, fileId: Json | undefined, { notes }: Context): Json[] {
  if (part.text !== undefined) {
    const content = part.filename === undefined ? part.text : `${part.filename}\n\n${part.text}`;
    return [{ type: 'input_text', text: content }];
  }
  const inline = inlineOf(part);
  if (inline !== undefined)
    return [{ type: 'input_file', filename: part.filename ?? 'file', file_data: dataUrl(inline) }];
  if (fileId !== undefined) return [{ type: 'input_file', ...fileId }];
  if (part.url !== undefined) return [{ type: 'input_file', file_url: part.url }];
  dropAttachment(notes, 'file', 'a file kept with another provider');
  return [];
}

function encodeCall(part: ToolCallPart, { find, isOwn }: Context): Json {
  const tool = find(part.name);
  const name = isOwn ? (tool?.givenName ?? part.name) : part.name;
  const namespace = isOwn && tool?.namespace !== undefined ? { namespace: tool.namespace } : {};
  if (part.own !== undefined) return part.own.item;
  const callId = safeCallId(part.id);
  if (part.isCustom === true)
    return { type: 'custom_tool_call', call_id: callId, name, input: part.arguments, ...namespace };
  return { type: 'function_call', call_id: callId, name, arguments: part.arguments, ...namespace };
}

function encodeResult(part: ToolResultPart, context: Context): Json {
  if (part.own !== undefined) return part.own.item;
  if (part.isError === true) drop(context.notes, 'tool_result.is_error', 'results have no such mark here');
  const content = part.content.flatMap((inner) => encodePart(inner, false, context));
  const output = content.length === 0 ? '' : simplified(content);
  const type = part.isCustom === true ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: safeCallId(part.callId), output };
}

/** OpenAI can read only its own encrypted reasoning, and knows no id of an item that was not stored. */
function encodeReasoning(part: ReasoningPart, { notes, isStored }: Context): Json[] {
  const encrypted = part.origin === 'openai' ? (part.signature ?? part.redacted) : undefined;
  if (encrypted === undefined) {
    drop(notes, 'content.reasoning', 'a thought that OpenAI has not encrypted');
    return [];
  }
  const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
  const id = isStored && part.id !== undefined ? { id: part.id } : {};
  return [{ type: 'reasoning', ...id, summary, encrypted_content: encrypted }];
}
