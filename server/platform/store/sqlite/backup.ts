// A consistent copy of a running database. It reads one snapshot through a connection and thread of its own, so it
// needs neither the writer nor the lock on the data directory, and nothing waits for it.
import { createHash } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readSync, rmSync } from 'node:fs';
import { Database } from 'bun:sqlite';
import { revivedError, type ControlReply } from './protocol.ts';
import { startThread } from './thread.ts';

const DIGEST_PIECE_BYTES = 1024 ** 2;

export async function copyInThread(source: string, target: string): Promise<void> {
  await askThread([source, target]);
}

/** SHA-256 of a file in hex. A large one takes seconds of a processor. */
export async function digestInThread(file: string): Promise<string> {
  return String(await askThread([file, null]));
}

async function askThread(question: readonly [string, string | null]): Promise<unknown> {
  const answered = Promise.withResolvers<ControlReply>();
  const thread = startThread(new URL('./backup-thread.ts', import.meta.url), 'backup', {
    reply: (text) => answered.resolve(JSON.parse(text) as ControlReply),
    end: answered.reject,
  });
  try {
    thread.send(JSON.stringify(question));
    const reply = await answered.promise;
    if ('error' in reply) throw revivedError(reply.error);
    return reply.value;
  } finally {
    thread.terminate();
  }
}

/** Synchronous: for the backup thread, or a process that serves nothing. */
export function copyDatabase(source: string, target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already; a backup never overwrites a file.`);
  const database = new Database(source, { readonly: true });
  try {
    database.run('PRAGMA busy_timeout = 10000');
    database.run('VACUUM INTO ?', [target]);
    chmodSync(target, 0o600);
    syncFile(target);
  } catch (error) {
    // The target did not exist before, so what is there now is half a copy.
    rmSync(target, { force: true });
    throw error;
  } finally {
    database.close();
  }
}

/** Synchronous: for the backup thread. */
export function digestFile(file: string): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(DIGEST_PIECE_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    for (;;) {
      const length = readSync(descriptor, piece);
      if (length === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
