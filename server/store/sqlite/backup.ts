// A consistent copy of a running database. It reads one snapshot through a connection and thread of its own, so it
// needs neither the writer nor the lock on the data directory, and nothing waits for it.
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { Database } from 'bun:sqlite';
import { revivedError, type ControlReply } from './protocol.ts';
import { startThread } from './thread.ts';

export async function copyInThread(source: string, target: string): Promise<void> {
  const answered = Promise.withResolvers<ControlReply>();
  const thread = startThread(new URL('./backup-thread.ts', import.meta.url), 'backup', {
    reply: (text) => answered.resolve(JSON.parse(text) as ControlReply),
    end: answered.reject,
  });
  try {
    thread.send(JSON.stringify([source, target]));
    const reply = await answered.promise;
    if ('error' in reply) throw revivedError(reply.error);
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

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
