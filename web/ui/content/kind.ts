/** What the operator put into a content field, and a name to remember it by. */
export { contentKind, type ContentKind } from '#contract/relay/content-kind.ts';

/** A short stable name of a text, to remember that a notice was dismissed. FNV-1a, 32 bit. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
