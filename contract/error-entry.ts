// One refusal: its HTTP status, the public sentence in both languages, and the sentence for the log.
import type { Text } from './language.ts';

export interface ErrorEntry extends Text {
  status: number;
  internal: string;
}

export const entry = (status: number, zh: string, en: string, internal: string): ErrorEntry => ({
  status,
  zh,
  en,
  internal,
});
