// How long the name of an API key may be, and the names of those that are made at once.

export const TOKEN_NAME_MAX = 30;

/** Counted as people count: a Chinese character or an emoji is one. */
export function tokenNameLength(name: string): number {
  return Array.from(name).length;
}

/** From the second token of a batch on; the name is cut where the whole would grow past its limit. */
export function batchTokenName(name: string, suffix: string): string {
  const room = TOKEN_NAME_MAX - 1 - suffix.length;
  return `${Array.from(name).slice(0, room).join('')}-${suffix}`;
}
