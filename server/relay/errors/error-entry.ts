// One error: its status and its sentences.
import type { Text } from '#contract/language.ts';

export interface Entry extends Text {
  status: number;
}

export const entry = (status: number, zh: string, en: string): Entry => ({ status, zh, en });
