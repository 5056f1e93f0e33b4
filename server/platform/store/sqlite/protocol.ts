// What crosses between the main thread and the SQLite threads. Every message is one JSON text: Bun hands a string over
// without cloning, which measured a third cheaper than cloning objects, and one message carries a whole batch. Texts that are
// only stored follow the JSON after a line feed: quoting and parsing them would cost more than the rest of the message.
import { DatabaseError } from '#server/platform/store/errors.ts';

export interface BatchItem {
  /** Index in the list of procedures, or `STATEMENT`. */
  operation: number;
  argument: unknown;
  text: string;
}

export type Batch = readonly BatchItem[];

/** One item of a batch as JSON: operation, argument and the length of its text. Throws if JSON cannot carry the argument. */
export function encodeItem({ operation, argument, text }: BatchItem): string {
  return `[${operation},${JSON.stringify(argument)},${text.length}]`;
}

/** JSON contains no line feed of its own, so the first one ends it. */
export function encodeBatch(items: string, texts: string): string {
  return `[${items}]\n${texts}`;
}

export function readMessage(message: string): Batch | Control {
  const end = message.indexOf('\n');
  if (end < 0) return JSON.parse(message) as Control;
  let position = end + 1;
  const items = JSON.parse(message.slice(0, end)) as [operation: number, argument: unknown, length: number][];
  return items.map(([operation, argument, length]) => {
    const text = length === 0 ? '' : message.slice(position, position + length);
    position += length;
    return { operation, argument, text };
  });
}

export function isBatch(message: Batch | Control): message is Batch {
  return Array.isArray(message);
}

/** A single SQL statement of other code; its argument is a `Query`. */
export const STATEMENT = -1;

export interface Query {
  sql: string;
  parameters: readonly unknown[];
}

export type Control =
  | { kind: 'open'; file: string }
  | { kind: 'begin' }
  | ({ kind: 'query' } & Query)
  | { kind: 'commit' }
  | { kind: 'rollback' }
  | { kind: 'close' };

export interface SerialError {
  message: string;
  code: string;
}

/** One result for each item; `failures` lists the items that failed. */
export interface BatchReply {
  results: readonly unknown[];
  failures: readonly BatchFailure[];
}

export interface BatchFailure {
  index: number;
  error: SerialError;
}

export type ControlReply = { value: unknown } | { error: SerialError };

export interface StatementResult {
  rows: Record<string, unknown>[];
  changes: number;
  lastInsertRowid: number;
}

export function serialError(error: unknown): SerialError {
  if (!(error instanceof Error)) return { message: String(error), code: 'ERROR' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'ERROR';
  return { message: error.message, code };
}

export function revivedError(error: SerialError): DatabaseError {
  return new DatabaseError(error.message, error.code);
}
