// The main thread's side of the readers: SELECTs go to the reader with the shortest queue, never to the main thread.
import { StoreBusyError, StoreClosedError } from '#server/platform/store/errors.ts';
import { revivedError, type ControlReply, type StatementResult } from './protocol.ts';
import { startThread } from './thread.ts';

export type ReaderMessage =
  | { file: string }
  | { sql: string; parameters: readonly unknown[] }
  | { close: true };

export interface Readers {
  query(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
  close(this: void): Promise<void>;
}

/** Beyond this many waiting queries per reader new ones are refused at once. */
const MAXIMUM_QUEUED = 2000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface Reader {
  waiting: Waiting[];
  ask<T>(message: ReaderMessage): Promise<T>;
  terminate(this: void): void;
}

function startReader(): Reader {
  // A reader answers in the order it was asked, so the first in line is always the one answered.
  const waiting: Waiting[] = [];
  let ended: Error | undefined;
  const thread = startThread(new URL('./reader-thread.ts', import.meta.url), 'reader', {
    reply(text) {
      const first = waiting.shift();
      const reply = JSON.parse(text) as ControlReply;
      if ('error' in reply) first?.reject(revivedError(reply.error));
      else first?.resolve(reply.value);
    },
    end(error) {
      ended = error;
      for (const lost of waiting.splice(0)) lost.reject(error);
    },
  });
  return {
    waiting,
    ask<T>(message: ReaderMessage): Promise<T> {
      if (ended !== undefined) return Promise.reject(ended);
      if (waiting.length >= MAXIMUM_QUEUED) return Promise.reject(new StoreBusyError());
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({ resolve: (value) => resolve(value as T), reject });
      thread.send(JSON.stringify(message));
      return promise;
    },
    terminate: thread.terminate,
  };
}

export async function startReaders(file: string, count: number): Promise<Readers> {
  const readers = Array.from({ length: count }, startReader);
  await Promise.all(readers.map((reader) => reader.ask({ file })));
  let turn = 0;

  function shortestQueue(): Reader | undefined {
    turn = (turn + 1) % readers.length;
    let chosen = readers[turn];
    for (const reader of readers) {
      if (chosen === undefined || reader.waiting.length < chosen.waiting.length) chosen = reader;
    }
    return chosen;
  }

  return {
    query(sql, parameters) {
      const reader = shortestQueue();
      return reader === undefined ? Promise.reject(new StoreClosedError()) : reader.ask({ sql, parameters });
    },
    async close() {
      await Promise.all(readers.map((reader) => reader.ask({ close: true }).catch(() => {})));
      for (const reader of readers) reader.terminate();
    },
  };
}
