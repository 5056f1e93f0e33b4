// Reads a JSON request body with limits: size while it arrives, content type, nesting, and no key that could reach a
// prototype.
import { AppError } from '#contract/errors.ts';

export const MOST_BODY_BYTES = 1024 * 1024;
const MOST_DEPTH = 64;

/** `undefined` when there is no body. */
export async function readJson(request: Request, mostBytes = MOST_BODY_BYTES): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw new AppError('body_too_large');
  const encoding = request.headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') throw new AppError('unsupported_media_type');
  const bytes = await readBounded(request, mostBytes);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type))
    throw new AppError('unsupported_media_type');
  return parseJson(bytes);
}

export async function readBounded(request: Request, mostBytes: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw new AppError('body_too_large');
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    refuseDeep(text);
    const value: unknown = JSON.parse(text);
    dropPrototypeKeys(value);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_json');
  }
}

/** Checked before parsing: recursive code would overflow on deep nesting. */
function refuseDeep(text: string): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === 0x5c) index += 1;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x5b || character === 0x7b) {
      depth += 1;
      if (depth > MOST_DEPTH) throw new AppError('invalid_json');
    } else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
}

function dropPrototypeKeys(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const child of Object.values(value)) dropPrototypeKeys(child);
}
