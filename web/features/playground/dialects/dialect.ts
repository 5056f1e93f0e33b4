/** A wire format that callers speak: where a call is posted, with which headers, and its body. */
import type { Call } from '#web/features/playground/call.ts';

export const DIALECTS = ['chat', 'responses', 'messages', 'gemini'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** What a dialect has no place for. */
export type Lost = 'audio' | 'json' | 'seed' | 'penalties' | 'verbosity' | 'stop';

export interface DialectRequest {
  /** After the address of the server. */
  path: string;
  headers: (key: string) => Record<string, string>;
  body: Record<string, unknown>;
  lost: readonly Lost[];
}

export type Dialect = (call: Call) => DialectRequest;

/** Tokens of thought for an effort, where a format counts them. */
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
};
export const budgetOf = (effort: string): number => BUDGETS[effort] ?? 8192;

/** Without the members that are not set. */
export function set(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The arguments of a call as an object; a model may write something else. */
export function argumentsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Not JSON: it is kept as text.
  }
  return text.trim() === '' ? {} : { input: text };
}

export const hasAudio = ({ messages }: Call): boolean =>
  messages.some((message) => message.role === 'user' && message.parts.some(({ type }) => type === 'audio'));
