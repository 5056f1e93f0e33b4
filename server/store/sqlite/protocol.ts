// What crosses between the main thread and the SQLite threads. Every message is one JSON text: Bun hands a string over
// without cloning, which measured a third cheaper than cloning the arrays, and one message carries a whole batch. After a
// batch's JSON, behind a line feed, lie texts that are stored as they come: quoting and unquoting them would cost more than
// all the rest of the message.
import { DatabaseError } from '#server/store/errors.ts';

/** A batch is a flat list: operation, arguments, operation, arguments, … `operation` is an index in the procedure list. */
export type Batch = readonly (number | readonly unknown[])[];

/** An operation on its way: with a text behind the JSON its number goes with the length, and the text is its last argument. */
export function operationItem(operation: number, args: readonly unknown[], text: string | undefined): string {
  const number = text === undefined ? operation : `[${operation},${text.length}]`;
  return `${number},${JSON.stringify(args)}`;
}

/** JSON holds no line feed of its own. */
export function batchMessage(items: string, texts: string): string {
  return `[${items}]\n${texts}`;
}

export function readMessage(message: string): Batch | Control {
  const end = message.indexOf('\n');
  if (end < 0) return JSON.parse(message) as Control;
  const batch = JSON.parse(message.slice(0, end)) as (number | unknown[])[];
  let at = end + 1;
  for (let index = 0; index < batch.length; index += 2) {
    const head = batch[index];
    if (!Array.isArray(head)) continue;
    const [operation, length] = head as [number, number];
    batch[index] = operation;
    (batch[index + 1] as unknown[]).push(message.slice(at, at + length));
    at += length;
  }
  return batch;
}

export function isBatch(message: Batch | Control): message is Batch {
  return Array.isArray(message);
}

/** The operation number of a single SQL statement; its arguments are `[sql, parameters]`. */
export const STATEMENT = -1;

export type Control =
  | { kind: 'open'; file: string }
  | { kind: 'begin' }
  | { kind: 'query'; sql: string; parameters: readonly unknown[] }
  | { kind: 'commit' }
  | { kind: 'rollback' }
  | { kind: 'close' };

export interface SerialError {
  message: string;
  code: string;
}

/** Results stand at the index of their operation; `failures` pairs an index with what went wrong there. */
export type BatchReply = readonly [
  results: readonly unknown[],
  failures: readonly (readonly [number, SerialError])[],
];

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
