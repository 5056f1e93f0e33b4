// Settlements and releases made while PostgreSQL is away: one JSON line each in a local file, on the disk before the
// client hears of it. They are replayed with the same ids, so a replay that repeats something changes nothing.
import { mkdirSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OperationName } from './engine/operations.ts';

export interface SpooledOperation {
  name: OperationName;
  args: readonly unknown[];
}

export interface Spool {
  /** Resolves when the line is on the disk. Lines that arrive together share one sync. */
  append(operation: SpooledOperation): Promise<void>;
  /** Hands every line to `replay`, in order and in chunks, and removes them once it resolves. Returns how many. */
  drain(replay: (operations: SpooledOperation[]) => Promise<void>): Promise<number>;
  close(): Promise<void>;
}

interface WaitingLine {
  line: string;
  resolve(): void;
  reject(error: unknown): void;
}

const chunkSize = 200;
const ending = '.jsonl';

/** Where the node of this name keeps its spool. */
export function spoolFileOf(directory: string, nodeId: string): string {
  return join(directory, `${encodeURIComponent(nodeId)}${ending}`);
}

/** Every node that has left something in this directory. */
export async function spoolingNodes(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const files = names.map((name) => name.replace(/\.draining$/, '')).filter((name) => name.endsWith(ending));
  return [...new Set(files)].map((name) => decodeURIComponent(name.slice(0, -ending.length)));
}

export function openSpool(file: string): Spool {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draining = `${file}.draining`;
  let handle: FileHandle | undefined;
  let waiting: WaitingLine[] = [];
  let writing: Promise<void> | undefined;

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        handle ??= await openForAppend(file);
        // The leading line end closes whatever a failed write may have left half done.
        await handle.appendFile(`\n${lines.map((item) => item.line).join('')}`);
        await handle.datasync();
        for (const item of lines) item.resolve();
      } catch (error) {
        for (const item of lines) item.reject(error);
      }
    }
    writing = undefined;
  }

  /** Closes the growing file, so that it can be renamed and read while new lines go to a new one. */
  async function rest(): Promise<void> {
    await writing;
    await handle?.close();
    handle = undefined;
  }

  async function drainFile(
    name: string,
    replay: (operations: SpooledOperation[]) => Promise<void>,
  ): Promise<number> {
    const operations = parseLines(await readFile(name, 'utf8').catch(ignoreMissing));
    for (let index = 0; index < operations.length; index += chunkSize) {
      await replay(operations.slice(index, index + chunkSize));
    }
    await rm(name, { force: true });
    return operations.length;
  }

  return {
    append({ name, args }) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: `${JSON.stringify([name, args])}\n`, resolve, reject });
        writing ??= writeWaiting();
      });
    },
    async drain(replay) {
      // What an interrupted drain left comes first: it is older.
      let count = await drainFile(draining, replay);
      await rest();
      const moved = await rename(file, draining).then(
        () => true,
        (error: unknown) => {
          ignoreMissing(error);
          return false;
        },
      );
      if (moved) count += await drainFile(draining, replay);
      return count;
    },
    close: rest,
  };
}

async function openForAppend(file: string): Promise<FileHandle> {
  const handle = await open(file, 'a', 0o600);
  // A new file is safe only when the directory that names it is.
  const directory = await open(dirname(file), 'r');
  await directory.sync();
  await directory.close();
  return handle;
}

/** A line that was cut short was never acknowledged to anyone. */
function parseLines(text: string): SpooledOperation[] {
  const operations: SpooledOperation[] = [];
  for (const line of text.split('\n')) {
    if (!line.endsWith(']]')) continue;
    const [name, args] = JSON.parse(line) as [OperationName, unknown[]];
    operations.push({ name, args });
  }
  return operations;
}

function ignoreMissing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw error;
}
