// A short stable name of a text, the same as the console's, so that a notice dismissed there stays away here. FNV-1a, 32 bit.

export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) {
    hash ^= character.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
