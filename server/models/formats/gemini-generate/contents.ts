// Contents of Gemini's requests to canonical messages.
import type { CanonicalMessage, CanonicalPart, MediaPart } from '#server/models/formats/canonical.ts';
import { Fields } from '#server/models/formats/fields.ts';
import { FormatError, isObject, objects, text } from '#server/models/formats/json.ts';
import { kindOfMedia } from '#server/models/formats/media.ts';
import type { ToolNames } from '#server/models/formats/tool-names.ts';
import { decodeGoogleSignature, snakeCased } from './fields.ts';

export class ContentReader {
  readonly #names: ToolNames;
  /** Calls without an id get one; results match them by name, in order. */
  readonly #unanswered = new Map<string, string[]>();
  readonly #known = new Set<string>();
  #calls = 0;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  messages(fields: Fields, name: string): CanonicalMessage[] {
    const contents = fields.get(name);
    if (typeof contents === 'string') return [{ role: 'user', content: [{ type: 'text', text: contents }] }];
    return oneOrMore(fields, name).map((content) => this.#message(content));
  }

  instruction(fields: Fields, name: string): CanonicalMessage[] {
    const given = fields.get(name);
    if (given === undefined) return [];
    if (typeof given === 'string') return [{ role: 'system', content: [{ type: 'text', text: given }] }];
    const content = this.#parts(fields.object(name));
    return content.length === 0 ? [] : [{ role: 'system', content }];
  }

  #message(given: Fields): CanonicalMessage {
    const role = given.optionalText('role') ?? 'user';
    const content = this.#parts(given);
    if (role === 'model') return { role: 'assistant', content };
    if (role === 'system') return { role: 'system', content };
    if (role !== 'user' && role !== 'function' && role !== 'tool')
      throw new FormatError(given.at('role'), 'user or model');
    const isResult = content.length > 0 && content.every((part) => part.type === 'tool_result');
    return { role: isResult ? 'tool' : 'user', content };
  }

  #parts(holder: Fields): CanonicalPart[] {
    return holder.has('parts') ? oneOrMore(holder, 'parts').flatMap((part) => this.#part(part)) : [];
  }

  #part(part: Fields): CanonicalPart[] {
    const kept = part.optionalText('thoughtSignature') ?? '';
    const decoded = kept === '' ? undefined : decodeGoogleSignature(kept);
    const signature = decoded?.origin === 'google' ? { signature: decoded.signature } : {};
    if (part.get('thought') === true) {
      const thought = text(part.get('text'));
      return thought === '' && decoded === undefined
        ? []
        : [{ type: 'reasoning', text: thought, ...decoded }];
    }
    if (part.has('text')) return [{ type: 'text', text: part.text('text'), ...signature }];
    if (part.has('functionCall')) return [this.#call(part.object('functionCall'), signature)];
    if (part.has('functionResponse')) return [this.#response(part.object('functionResponse'))];
    const media = decodeMedia(part);
    if (media !== undefined) return [{ ...media, ...signature }];
    const item = part.whole();
    return Object.keys(item).length === 0 ? [] : [{ type: 'provider', origin: 'google', item }];
  }

  #call(call: Fields, signature: { signature?: string }): CanonicalPart {
    const given = call.text('name');
    const id = call.optionalText('id') ?? `call_${this.#calls}`;
    this.#calls += 1;
    this.#known.add(id);
    const waiting = this.#unanswered.get(given);
    if (waiting === undefined) this.#unanswered.set(given, [id]);
    else waiting.push(id);
    const args = JSON.stringify(call.get('args') ?? {});
    return { type: 'tool_call', id, name: this.#names.of(given), arguments: args, ...signature };
  }

  #response(response: Fields): CanonicalPart {
    const given = response.text('name');
    const waiting = this.#unanswered.get(given) ?? [];
    const id = response.optionalText('id');
    // A client may give ids to results only: an id that no call has is ignored, and the name decides.
    const callId = (id !== undefined && this.#known.has(id) ? id : waiting[0]) ?? id ?? given;
    const at = waiting.indexOf(callId);
    if (at >= 0) waiting.splice(at, 1);
    const { result, isError } = resultText(response.get('response'));
    const media = objects(response.get('parts')).flatMap((part, index) => {
      const found = decodeMedia(new Fields(part, response.at(`parts[${index}]`), snakeCased, response));
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

/** Google's own clients send one object where the API has a list. */
export const oneOrMore = (holder: Fields, name: string): Fields[] =>
  isObject(holder.get(name)) ? [holder.object(name)] : holder.objects(name);

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

function decodeMedia(part: Fields): MediaPart | undefined {
  const blob = part.optionalObject('inlineData');
  if (blob !== undefined) {
    const mediaType = blob.text('mimeType');
    return { type: kindOfMedia(mediaType), data: blob.text('data'), mediaType, ...nameOf(blob) };
  }
  const file = part.optionalObject('fileData');
  if (file === undefined) return undefined;
  const mediaType = text(file.get('mimeType'));
  const type = mediaType === '' ? 'file' : kindOfMedia(mediaType);
  return { type, url: file.text('fileUri'), ...(mediaType === '' ? {} : { mediaType }), ...nameOf(file) };
}

function nameOf(holder: Fields): { filename?: string } {
  const name = text(holder.get('displayName'));
  return name === '' ? {} : { filename: name };
}
