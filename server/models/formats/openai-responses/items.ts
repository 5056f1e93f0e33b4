// Input items of OpenAI's Responses API to canonical messages. Consecutive assistant items (reasoning, text, calls) become
// one message, so that parallel calls stay together.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalTool,
  ConversionNote,
  MediaPart,
} from '#server/models/formats/canonical.ts';
import { drop } from '#server/models/formats/extras.ts';
import type { Fields } from '#server/models/formats/fields.ts';
import { FormatError, objects, text, withoutUndefined } from '#server/models/formats/json.ts';
import { mediaFromUrl } from '#server/models/formats/media.ts';
import { decodeAudio, decodeFile } from '#server/models/formats/openai-chat/parts.ts';
import { placeGoogleSignatures, decodeSignature } from '#server/models/formats/signatures.ts';
import type { ToolNames } from '#server/models/formats/tool-names.ts';
import { decodeClientCall, decodeClientResult } from './client-tools.ts';
import { decodeTool } from './tools.ts';

export interface DecodeContext {
  names: ToolNames;
  notes: ConversionNote[];
  /** Receives the tools that items bring. */
  tools: CanonicalTool[];
  /** The calls of the tools that OpenAI's clients run, by the ids of their items. */
  callIds: Map<string, string>;
}

export function decodeInput(fields: Fields, context: DecodeContext): CanonicalMessage[] {
  const input = fields.get('input');
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'text', text: input }] }];
  const messages: CanonicalMessage[] = [];
  for (const item of fields.optionalObjects('input') ?? []) addItem(messages, item, context);
  for (const message of messages) {
    if (message.role === 'assistant') message.content = placeGoogleSignatures(message.content);
  }
  return messages;
}

function addItem(messages: CanonicalMessage[], item: Fields, context: DecodeContext): void {
  // An item without a kind is a message, or refers to an item that the upstream keeps.
  const isReference = !item.has('role') && item.has('id');
  const type = item.optionalText('type') ?? (isReference ? 'item_reference' : 'message');
  // They name and date an item of an earlier answer.
  item.ignore('id', 'status', 'created_by');
  switch (type) {
    case 'message':
      addMessage(messages, item, context);
      return;
    case 'function_call':
    case 'custom_tool_call': {
      const isCustom = type === 'custom_tool_call';
      const namespace = item.optionalText('namespace');
      const given = isCustom ? text(item.get('input')) : text(item.get('arguments')) || '{}';
      assistant(messages).push({
        type: 'tool_call',
        id: item.text('call_id'),
        name: context.names.of(item.text('name'), namespace),
        arguments: given,
        ...(isCustom ? { isCustom } : {}),
      });
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const isCustom = type === 'custom_tool_call_output';
      const content = decodeContent(item, 'output', context);
      const callId = item.text('call_id');
      const result = { type: 'tool_result', callId, content, ...(isCustom ? { isCustom } : {}) } as const;
      messages.push({ role: 'tool', content: [result] });
      return;
    }
    case 'reasoning':
      assistant(messages).push(decodeReasoning(item));
      return;
    case 'additional_tools':
      // Tools that come amid the conversation are tools of the whole request elsewhere.
      for (const tool of item.optionalObjects('tools') ?? [])
        context.tools.push(...decodeTool(tool, context.names));
      return;
    default:
      addOwnItem(messages, item, type, context);
  }
}

/** A call or result of a tool of OpenAI's that the client runs, or an item that only OpenAI knows. */
function addOwnItem(messages: CanonicalMessage[], item: Fields, type: string, context: DecodeContext): void {
  const call = decodeClientCall(item, type, context.names);
  const itemId = text(item.get('id'));
  if (call !== undefined && itemId !== '') context.callIds.set(itemId, call.id);
  const result = decodeClientResult(item, type, context.callIds);
  if (result === undefined)
    assistant(messages).push(call ?? { type: 'provider', origin: 'openai', item: item.whole() });
  else messages.push({ role: 'tool', content: [result] });
}

/** The parts of the current assistant turn. */
function assistant(messages: CanonicalMessage[]): CanonicalPart[] {
  let last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push((last = { role: 'assistant', content: [] }));
  return last.content;
}

const ROLES = new Set(['user', 'assistant', 'system', 'developer']);

function addMessage(messages: CanonicalMessage[], item: Fields, context: DecodeContext): void {
  const role = item.text('role');
  if (!ROLES.has(role)) throw new FormatError(item.at('role'), `one of ${[...ROLES].join(', ')}`);
  const content = decodeContent(item, 'content', context);
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

function decodeReasoning(item: Fields): CanonicalPart {
  const [content, summary] = [objects(item.get('content')), objects(item.get('summary'))];
  const pieces = content.length > 0 ? content : summary;
  const thought = pieces.map((piece) => text(piece['text'])).join('\n\n');
  const encrypted = text(item.get('encrypted_content'));
  const id = text(item.get('id'));
  if (encrypted === '') return { type: 'reasoning', text: thought };
  const decoded = decodeSignature(encrypted, 'openai', thought === '');
  const named = decoded.origin === 'openai' && id !== '' ? { id } : {};
  return { type: 'reasoning', text: thought, ...named, ...decoded };
}

const decodeContent = (holder: Fields, name: string, { notes }: DecodeContext): CanonicalPart[] =>
  holder.content(name, (part) => decodePart(part, notes));

function decodePart(part: Fields, notes: ConversionNote[]): CanonicalPart[] {
  const type = part.get('type');
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
      return [{ type: 'text', text: part.text('text') }];
    case 'refusal':
      return [{ type: 'refusal', text: part.text('refusal') }];
    case 'input_image':
      return [decodeImage(part)];
    case 'input_file':
      return [decodeFile(part)];
    case 'input_audio':
      return [decodeAudio(part.object('input_audio'))];
    default:
      drop(notes, `content.${text(type) || 'part'}`, 'unknown part');
      return [];
  }
}

function decodeImage(part: Fields): MediaPart {
  const url = part.optionalText('image_url');
  return withoutUndefined<MediaPart>({
    ...(url === undefined ? { type: 'image' } : mediaFromUrl('image', url)),
    fileId: part.optionalText('file_id'),
    detail: part.optionalText('detail'),
  });
}
