// What crosses between the main thread and the SQLite threads. Every message is one JSON text: Bun hands a string over
// without cloning, which measured a third cheaper than cloning the arrays, and one message carries a whole batch.
import { DatabaseError } from '#server/store/errors.ts';

/** A batch is a flat list: operation, arguments, operation, arguments, … `operation` is an index in the procedure list. */
export type Batch = readonly (number | readonly unknown[])[];

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
