// What pictures, recordings and documents of a prompt can count for beyond their usual estimate. Only the upstream knows how
// many tokens one has, so that a hold covers a large one of its size.
import { isObject } from '#server/models/formats/json.ts';

export interface Attachments {
  /** Tokens beyond the estimate of the prompt. */
  input: number;
  audio: number;
}

/** Tokens of a picture that goes in. */
export const largestPicture = 5000;
/** Of a document whose size is not known here: given by address or id. */
const largestDocument = 100_000;
const bytesPerDocumentToken = 8;
/** Ten tokens a second at 32 kbit/s. */
const bytesPerAudioToken = 400;
const unknownAudio = 6000;

type Kind = 'picture' | 'audio' | 'document';

/** Messages, items or contents, in any of the formats. */
export function attachmentsIn(content: unknown): Readonly<Attachments> {
  const found: Attachments = { input: 0, audio: 0 };
  visit(content, found, 0);
  return found;
}

/** Deeper than any format nests content. */
const deepest = 6;

function visit(value: unknown, found: Attachments, depth: number): void {
  if (Array.isArray(value)) {
    for (const each of value as unknown[]) if (typeof each === 'object') visit(each, found, depth);
    return;
  }
  if (!isObject(value) || depth > deepest) return;
  const kind = kindOf(value);
  if (kind !== undefined) return add(kind, value, found);
  // Nested content: messages, tool results, Gemini's parts.
  for (const name of ['content', 'parts', 'output'] as const)
    if (typeof value[name] === 'object') visit(value[name], found, depth + 1);
}

function kindOf(part: Readonly<Record<string, unknown>>): Kind | undefined {
  const { type } = part;
  if (typeof type === 'string') {
    if (type.includes('image')) return 'picture';
    if (type.includes('audio')) return 'audio';
    return type === 'document' || type === 'file' || type === 'input_file' ? 'document' : undefined;
  }
  const media = part['inlineData'] ?? part['inline_data'] ?? part['fileData'] ?? part['file_data'];
  if (!isObject(media)) return undefined;
  const mime = media['mimeType'] ?? media['mime_type'];
  if (typeof mime !== 'string') return 'document';
  if (mime.startsWith('image/')) return 'picture';
  return mime.startsWith('audio/') ? 'audio' : 'document';
}

function add(kind: Kind, part: Readonly<Record<string, unknown>>, found: Attachments): void {
  if (kind === 'picture') {
    found.input += largestPicture;
    return;
  }
  const bytes = longestText(part, 0) * 0.75;
  if (kind === 'audio') found.audio += bytes === 0 ? unknownAudio : Math.ceil(bytes / bytesPerAudioToken);
  else
    found.input +=
      bytes === 0 ? largestDocument : Math.min(largestDocument, Math.ceil(bytes / bytesPerDocumentToken));
}

/** Below it a text is an id, an address or a name, not the content itself. */
const shortestContent = 4096;

/** Characters of the content inside of the part; 0 when it is elsewhere. */
function longestText(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length >= shortestContent ? value.length : 0;
  if (!isObject(value) || depth > deepest) return 0;
  let longest = 0;
  for (const name in value) longest = Math.max(longest, longestText(value[name], depth + 1));
  return longest;
}
