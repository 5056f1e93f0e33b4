// Kinds of content that an operator can enter: an address to frame, a whole HTML page to frame, or Markdown/HTML.

export type ContentKind = 'empty' | 'url' | 'document' | 'rich';

export function contentKind(text: string): ContentKind {
  const trimmed = text.trim();
  if (!trimmed) return 'empty';
  if (/^https?:\/\/\S+$/i.test(trimmed)) return 'url';
  if (/^(<!doctype html|<html[\s>])/i.test(trimmed)) return 'document';
  return 'rich';
}
