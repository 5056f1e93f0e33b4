// Content types that pass: pictures, sound and film that a browser shows without running anything.
import type { MediaKind } from './file.ts';

const PASSING =
  /^(?:image\/(?:png|jpeg|webp|gif|avif)|audio\/(?:mpeg|mp3|mp4|x-m4a|aac|ogg|opus|wav|x-wav|wave|webm|flac|x-flac)|video\/(?:mp4|webm|quicktime|ogg|x-m4v))$/;

const BY_EXTENSION: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};
const BY_KIND = { audio: 'audio/mpeg', video: 'video/mp4' } as const;
const NAMELESS: readonly string[] = ['', 'application/octet-stream', 'binary/octet-stream'];

/**
 * Object storages often name no type for sound and film; then the address or the kind decides. Undefined: the file does not
 * pass.
 */
export function mediaType(header: string | undefined, kind: MediaKind, url: string): string | undefined {
  const type = (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (PASSING.test(type)) return type;
  if (kind === 'image' || !NAMELESS.includes(type)) return undefined;
  const [, extension = ''] = /\.([a-z0-9]{2,4})$/i.exec(URL.parse(url)?.pathname ?? '') ?? [];
  return BY_EXTENSION[extension.toLowerCase()] ?? BY_KIND[kind];
}
