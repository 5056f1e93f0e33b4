// A reader thread: one read-only connection that answers SELECTs, one at a time and each to its end, so that no
// snapshot stays open and checkpoints are never held up.
import { openReadOnly, runStatement, statementCache, type Statements } from './connection.ts';
import { serialError } from './protocol.ts';
import type { ReaderMessage } from './readers.ts';
import { serveThread } from './thread.ts';

let statements: Statements | undefined;
let close = () => {};

function answer(message: ReaderMessage): unknown {
  if ('file' in message) {
    const database = openReadOnly(message.file);
    statements = statementCache(database);
    close = () => {
      statements?.clear();
      database.close();
    };
    return null;
  }
  if ('close' in message) {
    close();
    return null;
  }
  if (statements === undefined) throw new Error('the reader is not open');
  return runStatement(statements, message.sql, message.parameters);
}

serveThread((text) => {
  try {
    return JSON.stringify({ value: answer(JSON.parse(text) as ReaderMessage) });
  } catch (error) {
    return JSON.stringify({ error: serialError(error) });
  }
});
