// A masked secret that a client sends back: stars or dots in place of its characters, or our own mark. No real key looks
// like that, so it means "unchanged" and never replaces the stored secret.
import { SECRET_MARK } from './options.ts';

const MASKED = /^[^*•\s]{0,16}(?:\*{3,}|•{3,})[^*•\s]{0,16}$/;

export function isMasked(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === SECRET_MARK || MASKED.test(trimmed);
}
