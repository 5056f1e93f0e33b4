/** The four formats of the relay that callers speak. */
import { chat } from './chat.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

export { DIALECTS, type DialectName, type DialectRequest, type Lost } from './dialect.ts';

const BY_NAME: Record<DialectName, Dialect> = { chat, responses, messages, gemini };

export const DIALECT_NAMES: Record<DialectName, string> = {
  chat: 'OpenAI Chat',
  responses: 'OpenAI Responses',
  messages: 'Anthropic',
  gemini: 'Gemini',
};

export const requestIn = (name: DialectName, call: Parameters<Dialect>[0]) => BY_NAME[name](call);
