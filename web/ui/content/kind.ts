/** What the operator put into a content field: an address to frame, a whole HTML page to frame, or Markdown/HTML. */

export type ContentKind = 'empty' | 'url' | 'document' | 'rich';

export function contentKind(text: string): ContentKind {
  const trimmed = text.trim();
  if (!trimmed) return 'empty';
  if (/^https?:\/\/\S+$/i.test(trimmed)) return 'url';
  if (/^(<!doctype html|<html[\s>])/i.test(trimmed)) return 'document';
  return 'rich';
}

/** A short stable name of a text, to remember that a notice was dismissed. FNV-1a, 32 bit. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
