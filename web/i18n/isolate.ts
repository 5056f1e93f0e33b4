/**
 * A name written from right to left, or one with characters that change the direction, would reorder the words and
 * numbers around it in a sentence. The two marks keep its effect inside the name.
 */
const FIRST_STRONG_ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';
const CHANGES_DIRECTION = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

export function isolate(text: string): string {
  return CHANGES_DIRECTION.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${END_OF_ISOLATE}` : text;
}
