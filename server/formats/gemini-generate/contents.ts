// Contents of Gemini's requests to canonical messages.
import type { CanonicalMessage, CanonicalPart, MediaPart } from '#server/formats/canonical.ts';
import {
  FormatError,
  isObject,
  objectAt,
  objects,
  objectsAt,
  optionalText,
  text,
  textAt,
  type Json,
} from '#server/formats/json.ts';
import { kindOfMedia } from '#server/formats/media.ts';
import type { ToolNames } from '#server/formats/tool-names.ts';
import { field, decodeGoogleSignature } from './fields.ts';

export class ContentReader {
  readonly #names: ToolNames;
  /** Calls without an id get one; results match them by name, in order. */
  readonly #unanswered = new Map<string, string[]>();
  readonly #known = new Set<string>();
  #calls = 0;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  messages(contents: unknown): CanonicalMessage[] {
    if (typeof contents === 'string') return [{ role: 'user', content: [{ type: 'text', text: contents }] }];
    if (isObject(contents)) return [this.#message(contents, 'contents')];
    return objectsAt(contents, 'contents').map((content, index) =>
      this.#message(content, `contents[${index}]`),
    );
  }

  instruction(given: unknown, path: string): CanonicalMessage[] {
    if (given === undefined || given === null) return [];
    if (typeof given === 'string') return [{ role: 'system', content: [{ type: 'text', text: given }] }];
    const content = this.#parts(objectAt(given, path), path);
    return content.length === 0 ? [] : [{ role: 'system', content }];
  }

  #message(given: Json, path: string): CanonicalMessage {
    const role = optionalText(given['role'], `${path}.role`) ?? 'user';
    const content = this.#parts(given, path);
    if (role === 'model') return { role: 'assistant', content };
    if (role === 'system') return { role: 'system', content };
    if (role !== 'user' && role !== 'function' && role !== 'tool')
      throw new FormatError(`${path}.role`, 'user or model');
    const isResult = content.length > 0 && content.every((part) => part.type === 'tool_result');
    return { role: isResult ? 'tool' : 'user', content };
  }

  #parts(holder: Json, path: string): CanonicalPart[] {
    const { parts } = holder;
    if (parts === undefined || parts === null) return [];
    if (isObject(parts)) return this.#part(parts, `${path}.parts`);
    return objectsAt(parts, `${path}.parts`).flatMap((part, index) =>
      this.#part(part, `${path}.parts[${index}]`),
    );
  }

  #part(part: Json, path: string): CanonicalPart[] {
    const kept = optionalText(field(part, 'thoughtSignature'), `${path}.thoughtSignature`) ?? '';
    const decoded = kept === '' ? undefined : decodeGoogleSignature(kept);
    const signature = decoded?.origin === 'google' ? { signature: decoded.signature } : {};
    if (part['thought'] === true) {
      const thought = text(part['text']);
      return thought === '' && decoded === undefined
        ? []
        : [{ type: 'reasoning', text: thought, ...decoded }];
    }
    if (part['text'] !== undefined)
      return [{ type: 'text', text: textAt(part['text'], `${path}.text`), ...signature }];
    const call = field(part, 'functionCall');
    if (call !== undefined) return [this.#call(objectAt(call, `${path}.functionCall`), path, signature)];
    const response = field(part, 'functionResponse');
    if (response !== undefined) return [this.#response(objectAt(response, `${path}.functionResponse`), path)];
    const media = decodeMedia(part, path);
    if (media !== undefined) return [media];
    return Object.keys(part).length === 0 ? [] : [{ type: 'provider', origin: 'google', item: part }];
  }

  #call(call: Json, path: string, signature: { signature?: string }): CanonicalPart {
    const given = textAt(call['name'], `${path}.functionCall.name`);
    const id = optionalText(call['id'], `${path}.functionCall.id`) ?? `call_${this.#calls}`;
    this.#calls += 1;
    this.#known.add(id);
    const waiting = this.#unanswered.get(given);
    if (waiting === undefined) this.#unanswered.set(given, [id]);
    else waiting.push(id);
    const args = JSON.stringify(call['args'] ?? {});
    return { type: 'tool_call', id, name: this.#names.of(given), arguments: args, ...signature };
  }

  #response(response: Json, path: string): CanonicalPart {
    const given = textAt(response['name'], `${path}.functionResponse.name`);
    const waiting = this.#unanswered.get(given) ?? [];
    const id = optionalText(response['id'], `${path}.functionResponse.id`);
    // A client may give ids to results only: an id that no call has is ignored, and the name decides.
    const callId = (id !== undefined && this.#known.has(id) ? id : waiting[0]) ?? id ?? given;
    const at = waiting.indexOf(callId);
    if (at >= 0) waiting.splice(at, 1);
    const { result, isError } = resultText(response['response']);
    const media = objects(response['parts']).flatMap((part, index) => {
      const found = decodeMedia(part, `${path}.functionResponse.parts[${index}]`);
      return found === undefined ? [] : [found];
    });
    return {
      type: 'tool_result',
      callId,
      name: this.#names.of(given),
      content: [...(result === '' ? [] : [{ type: 'text', text: result } as const]), ...media],
      ...(isError ? { isError } : {}),
    };
  }
}

/** Gemini's results are objects; one that only wraps a text becomes that text. */
function resultText(response: unknown): { result: string; isError: boolean } {
  if (!isObject(response))
    return { result: response === undefined ? '' : JSON.stringify(response), isError: false };
  const [name, ...others] = Object.keys(response);
  const value = name === undefined ? undefined : response[name];
  if (others.length === 0 && typeof value === 'string') {
    if (name === 'output' || name === 'result' || name === 'content')
      return { result: value, isError: false };
    if (name === 'error') return { result: value, isError: true };
  }
  return { result: JSON.stringify(response), isError: false };
}

function decodeMedia(part: Json, path: string): MediaPart | undefined {
  const inline = field(part, 'inlineData');
  if (inline !== undefined) {
    const blob = objectAt(inline, `${path}.inlineData`);
    const mediaType = textAt(field(blob, 'mimeType'), `${path}.inlineData.mimeType`);
    const data = textAt(blob['data'], `${path}.inlineData.data`);
    return { type: kindOfMedia(mediaType), data, mediaType, ...nameOf(blob) };
  }
  const given = field(part, 'fileData');
  if (given === undefined) return undefined;
  const file = objectAt(given, `${path}.fileData`);
  const mediaType = text(field(file, 'mimeType'));
  const url = textAt(field(file, 'fileUri'), `${path}.fileData.fileUri`);
  const kind = mediaType === '' ? 'file' : kindOfMedia(mediaType);
  return { type: kind, url, ...(mediaType === '' ? {} : { mediaType }), ...nameOf(file) };
}

function nameOf(holder: Json): { filename?: string } {
  const name = text(field(holder, 'displayName'));
  return name === '' ? {} : { filename: name };
}
