/** What can be added to a prompt: pictures, PDF, sound and text files, each with a bound that is said before it is sent. */

export interface AttachedFile {
  kind: 'pdf' | 'audio' | 'text';
  name: string;
  mediaType: string;
  /** Base64; of a text file the text itself. */
  data: string;
  bytes: number;
}

export type AttachmentKind = 'image' | AttachedFile['kind'];

const MEGABYTE = 1024 * 1024;
/** Megabytes of one file. */
export const MOST_MEGABYTES: Record<AttachmentKind, number> = { image: 8, pdf: 20, audio: 20, text: 1 };
/** All of a prompt: in base64 it is a third more, and a request may have 64 MB. */
export const MOST_MEGABYTES_IN_ALL = 30;

const TEXT_NAME =
  /\.(?:txt|md|csv|tsv|json|jsonl|ya?ml|xml|html|css|js|ts|tsx|jsx|py|go|rs|java|c|h|cpp|sh|sql|log|toml|ini)$/i;
export const ACCEPTED =
  'image/*,application/pdf,audio/*,text/*,application/json,.md,.csv,.jsonl,.yaml,.yml,.py,.ts,.tsx,.go,.rs,.java,.sql,.toml,.log';

export function kindOf({ name, type }: Pick<File, 'name' | 'type'>): AttachmentKind | undefined {
  // An SVG is a document with scripts, and no model reads it as a picture.
  if (type === 'image/svg+xml') return 'text';
  if (type.startsWith('image/')) return 'image';
  if (type === 'application/pdf' || /\.pdf$/i.test(name)) return 'pdf';
  if (type.startsWith('audio/')) return 'audio';
  return type.startsWith('text/') || type === 'application/json' || TEXT_NAME.test(name) ? 'text' : undefined;
}

export type Refusal = 'kind' | 'size' | 'all';

/** Why a file cannot be added beside what is there; undefined when it can. */
export function refusalOf(
  file: Pick<File, 'name' | 'type' | 'size'>,
  bytesBefore: number,
): Refusal | undefined {
  const kind = kindOf(file);
  if (kind === undefined) return 'kind';
  if (file.size > MOST_MEGABYTES[kind] * MEGABYTE) return 'size';
  return bytesBefore + file.size > MOST_MEGABYTES_IN_ALL * MEGABYTE ? 'all' : undefined;
}

export interface Attachments {
  /** Data addresses. */
  images: readonly string[];
  files: readonly AttachedFile[];
}

export const attachedBytes = ({ images, files }: Attachments): number =>
  images.reduce((sum, image) => sum + Math.floor(image.length * 0.75), 0) +
  files.reduce((sum, file) => sum + file.bytes, 0);

/** The media type and the base64 of a data address. */
export function splitData(address: string): { mediaType: string; data: string } {
  const [, mediaType = '', data = ''] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(address) ?? [];
  return { mediaType, data };
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  mpeg: 'mp3',
  'x-wav': 'wav',
  wave: 'wav',
  'vnd.wave': 'wav',
  'x-m4a': 'm4a',
  mp4: 'm4a',
  'x-flac': 'flac',
};

/** The short name of a recording's format, as OpenAI's formats have it. */
export function audioFormat(mediaType: string): string {
  const [, subtype = 'wav'] = mediaType.split(';')[0]?.split('/') ?? [];
  return AUDIO_FORMATS[subtype] ?? subtype;
}

function dataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new Error(file.name)));
    reader.readAsDataURL(file);
  });
}

/** Adds one file that was not refused. */
export async function withFile(before: Attachments, file: File): Promise<Attachments> {
  const kind = kindOf(file);
  if (kind === undefined) return before;
  if (kind === 'image') return { ...before, images: [...before.images, await dataAddress(file)] };
  const mediaType = kind === 'pdf' ? 'application/pdf' : file.type || 'text/plain';
  const data = kind === 'text' ? await file.text() : splitData(await dataAddress(file)).data;
  const added: AttachedFile = { kind, name: file.name, mediaType, data, bytes: file.size };
  return { ...before, files: [...before.files, added] };
}
