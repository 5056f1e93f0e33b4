// Canonical messages to contents of Gemini's requests.
import type {
  CanonicalMessage,
  CanonicalPart,
  CanonicalRequest,
  ConversionNote,
  MediaPart,
  ToolResultPart,
} from '#server/models/formats/canonical.ts';
import { approximate, drop, dropAttachment } from '#server/models/formats/extras.ts';
import { isObject, parseArguments, type Json } from '#server/models/formats/json.ts';
import { inlineOf, mediaTypeOfName } from '#server/models/formats/media.ts';
import { titled } from '#server/models/formats/openai-chat/parts.ts';
import { wrapCustom } from '#server/models/formats/tool-names.ts';

/** Google's documented placeholder for calls without a signature: calls of other models, or of clients that lost it. */
const SKIPS_VALIDATION = 'skip_thought_signature_validator';
const NEEDS_SIGNATURE = /gemini-([3-9]|\d\d)/;

interface Context {
  notes: ConversionNote[];
  /** Names of calls by id: a result has only the name. */
  names: Map<string, string>;
  /** The order of calls, which their results must keep. */
  order: Map<string, number>;
  needsSignature: boolean;
}

export interface EncodedContents {
  systemInstruction?: Json;
  contents: Json[];
}

export function encodeContents(request: CanonicalRequest, notes: ConversionNote[]): EncodedContents {
  const context: Context = {
    notes,
    names: new Map(),
    order: new Map(),
    needsSignature: NEEDS_SIGNATURE.test(request.model),
  };
  const system: CanonicalPart[] = [];
  const turns: { role: 'user' | 'model'; parts: CanonicalPart[] }[] = [];
  for (const message of request.messages) {
    noteCalls(message, context);
    if (message.role === 'system' || message.role === 'developer') {
      if (turns.length > 0)
        approximate(notes, 'messages.system', 'instructions amid the conversation moved to its head');
      system.push(...message.content);
      continue;
    }
    const role = message.role === 'assistant' ? 'model' : 'user';
    const last = turns.at(-1);
    // Results of parallel calls must be in one turn.
    if (last?.role === role) last.parts.push(...message.content);
    else turns.push({ role, parts: [...message.content] });
  }
  if (turns.length === 0) turns.push({ role: 'user', parts: system.splice(0) });
  if (turns[0]?.role === 'model') {
    approximate(notes, 'messages', 'a conversation must begin with the user');
    turns.unshift({ role: 'user', parts: [{ type: 'text', text: 'Continue.' }] });
  }
  const contents: { role: string; parts: Json[] }[] = [];
  for (const { role, parts } of turns) {
    const encoded = role === 'model' ? encodeAnswer(parts, context) : encodeTurn(parts, context);
    const last = contents.at(-1);
    if (encoded.length === 0) continue;
    if (last?.role === role) last.parts.push(...encoded);
    else contents.push({ role, parts: encoded });
  }
  const instructions = encodeParts(system, context);
  return { ...(instructions.length === 0 ? {} : { systemInstruction: { parts: instructions } }), contents };
}

function noteCalls(message: CanonicalMessage, { names, order }: Context): void {
  for (const part of message.content) {
    if (part.type !== 'tool_call') continue;
    names.set(part.id, part.name);
    order.set(part.id, order.size);
  }
}

/** Results match calls by name and order, so they come first and in the order of the calls. */
function encodeTurn(parts: readonly CanonicalPart[], context: Context): Json[] {
  const { order } = context;
  const results = parts.filter((part) => part.type === 'tool_result');
  results.sort((left, right) => (order.get(left.callId) ?? 0) - (order.get(right.callId) ?? 0));
  const rest = parts.filter((part) => part.type !== 'tool_result');
  return [...encodeParts(results, context), ...encodeParts(rest, context)];
}

/** The first of parallel calls has the signature. */
function encodeAnswer(parts: readonly CanonicalPart[], context: Context): Json[] {
  const encoded = encodeParts(parts, context);
  const call = encoded.find((part) => part['functionCall'] !== undefined);
  const isSigned = encoded.some(
    (part) => part['functionCall'] !== undefined && part['thoughtSignature'] !== undefined,
  );
  if (call !== undefined && !isSigned && context.needsSignature) call['thoughtSignature'] = SKIPS_VALIDATION;
  return encoded;
}

const encodeParts = (parts: readonly CanonicalPart[], context: Context): Json[] =>
  parts.flatMap((part) => encodePart(part, context));

function encodePart(part: CanonicalPart, context: Context): Json[] {
  const { notes } = context;
  switch (part.type) {
    case 'text':
      if (part.text === '' && part.signature === undefined) return [];
      return [{ text: part.text, ...signed(part.signature) }];
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(part, notes);
    case 'reasoning':
      if (part.origin === 'google' && part.signature !== undefined)
        return [{ text: part.text, thought: true, thoughtSignature: part.signature }];
      drop(notes, 'content.reasoning', 'reasoning is not sent back to Gemini, except its signatures');
      return [];
    case 'tool_call': {
      const args = parseArguments(part.isCustom === true ? wrapCustom(part.arguments) : part.arguments);
      return [{ functionCall: { name: part.name, args }, ...signed(part.signature) }];
    }
    case 'tool_result':
      return [{ functionResponse: encodeResult(part, context) }];
    default:
      if (part.origin === 'google') return [part.item];
      drop(notes, 'content.provider', 'an item of another provider’s own');
      return [];
  }
}

const signed = (signature: string | undefined): Json =>
  signature === undefined ? {} : { thoughtSignature: signature };

function encodeResult(part: ToolResultPart, context: Context): Json {
  const { notes, names } = context;
  const texts = part.content.flatMap(textOfResult);
  const media = part.content.filter((inner) => textOfResult(inner).length === 0);
  const parts = encodeParts(media, context).filter((inner) => inner['inlineData'] !== undefined);
  if (parts.length < media.length)
    drop(notes, 'tool_result.content', 'a result holds text and media by content');
  const name = names.get(part.callId) ?? part.name;
  if (name === undefined)
    approximate(notes, 'tool_result', 'the result of an unknown call is named by its id');
  return {
    name: name ?? part.callId,
    response: responseOf(texts.join('\n'), part.isError === true),
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** Text, and documents of plain text. */
function textOfResult(part: CanonicalPart): string[] {
  if (part.type === 'text') return [part.text];
  return part.type === 'file' && part.text !== undefined ? [titled(part, part.text)] : [];
}

/** A JSON object stays an object, unless it contains `$ref`, which Gemini would resolve. */
function responseOf(result: string, isError: boolean): Json {
  if (isError) return { error: result };
  if (result.startsWith('{') && !result.includes('"$ref"')) {
    try {
      const value = JSON.parse(result) as unknown;
      if (isObject(value)) return value;
    } catch {
      // Not JSON: it stays text.
    }
  }
  return { output: result };
}

function encodeMedia(part: MediaPart, notes: ConversionNote[]): Json[] {
  if (part.text !== undefined) return [{ text: titled(part, part.text) }];
  const inline = inlineOf(part);
  if (inline !== undefined)
    return [{ inlineData: { mimeType: inline.mediaType, data: inline.data }, ...signed(part.signature) }];
  if (part.url !== undefined) {
    const mimeType = part.mediaType ?? mediaTypeOfName(part.url) ?? GUESSES[part.type];
    return [{ fileData: { mimeType, fileUri: part.url } }];
  }
  dropAttachment(notes, part.type, 'a file kept with another provider');
  return [];
}

const GUESSES: Readonly<Record<MediaPart['type'], string>> = {
  image: 'image/jpeg',
  audio: 'audio/wav',
  video: 'video/mp4',
  file: 'application/pdf',
};
