// Reads the text of a request: for the memory of beginnings, and for the recount of plain prompts.
import { isObject } from '#server/models/formats/json.ts';
import type { TextKind } from './cell.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Other members hold a prompt too, or add to it what is not seen here. */
const NOT_PLAIN = ['tools', 'functions', 'response_format', 'previous_response_id', 'conversation'];

/** The prompt's texts in order, until `most` characters are gathered. */
export function promptTexts(fields: Fields, most: number): { text: string; isPlain: boolean } {
  const found = { text: '', isPlain: !NOT_PLAIN.some((name) => fields[name] !== undefined) };
  const visit = (value: unknown): void => {
    if (found.text.length >= most) return;
    if (typeof value === 'string') found.text += value;
    else if (Array.isArray(value)) for (const each of value as unknown[]) visit(each);
    else if (isObject(value)) {
      const { content, text, parts, type } = value;
      const inner = content ?? text ?? parts;
      // A picture, a file, a tool's call or result.
      if (inner === undefined || (type !== undefined && !PLAIN_TYPES.has(type))) found.isPlain = false;
      visit(inner);
    }
  };
  for (const name of ['system', 'instructions', 'systemInstruction', 'messages', 'input', 'contents'])
    if (fields[name] !== undefined) visit(fields[name]);
  return found;
}

const PLAIN_TYPES = new Set<unknown>(['text', 'input_text', 'output_text', 'message']);

/** Characters of a prompt that are compared; their tokens must be fewer than `leastPromptTokens`. */
const BEGINNING_LENGTH = 512;

/** Undefined when more than the texts comes before them: tools, or a conversation that the upstream keeps. */
export function beginningOf(fields: Fields): number | undefined {
  if (fields['tools'] !== undefined || fields['functions'] !== undefined) return undefined;
  if (fields['previous_response_id'] !== undefined || fields['conversation'] !== undefined) return undefined;
  return Number(Bun.hash(promptTexts(fields, BEGINNING_LENGTH).text.slice(0, BEGINNING_LENGTH)) & SAFE_BITS);
}

const SAFE_BITS = (1n << 52n) - 1n;

/** The caller asked for a cache. */
export function hasCacheMark(fields: Fields): boolean {
  return JSON.stringify(fields).includes('"cache_control"');
}

/** Undefined for texts whose tokens per character vary too much to be compared: code, tables, emoji, mixed scripts. */
export function kindOfText(text: string): TextKind | undefined {
  let latin = 0;
  let wide = 0;
  const step = Math.max(1, Math.floor(text.length / 2000));
  let seen = 0;
  for (let at = 0; at < text.length; at += step) {
    const code = text.charCodeAt(at);
    seen += 1;
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32) latin += 1;
    else if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)) wide += 1;
  }
  if (latin / seen >= 0.85) return 'latin';
  return wide / seen >= 0.7 ? 'wide' : undefined;
}
