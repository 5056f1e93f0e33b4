// Which reader belongs to which format.
import { anthropicDialect } from './anthropic.ts';
import type { Dialect } from './dialect.ts';
import { geminiDialect } from './gemini.ts';
import { openAiDialect } from './openai.ts';

export type { Dialect, EventFacts } from './dialect.ts';

export function dialectOf(format: string): Dialect {
  if (format === 'anthropic-messages') return anthropicDialect;
  return format.startsWith('gemini') ? geminiDialect : openAiDialect;
}
