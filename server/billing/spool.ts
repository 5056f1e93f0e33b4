// Settlements and releases made while PostgreSQL is away: one line each in a local file, durable before the caller gets the end
// of its answer. They are replayed with the same request ids, so replaying a line twice changes nothing.
import { mkdirSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodeLine, encodeLine, type SpooledOperation } from './spool-lines.ts';

export interface Spool {
  /** Resolves when the line is durable. Lines that arrive together share one sync. */
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

/** The spool of the node of this name. */
export function spoolFileOf(directory: string, nodeId: string): string {
  return join(directory, `${encodeURIComponent(nodeId)}${ending}`);
}

/** Every node that has a spool in this directory. */
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
        // The leading line end separates the new lines from the rest of a failed write.
        await handle.appendFile(`\n${lines.map((item) => item.line).join('')}`);
        await handle.datasync();
        for (const item of lines) item.resolve();
      } catch (error) {
        for (const item of lines) item.reject(error);
      }
    }
    writing = undefined;
  }

  /** Closes the file, so that it can be renamed and read while new lines go to a new one. */
  async function closeFile(): Promise<void> {
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
    append(operation) {
      return new Promise((resolve, reject) => {
        waiting.push({ line: `${encodeLine(operation)}\n`, resolve, reject });
        writing ??= writeWaiting();
      });
    },
    async drain(replay) {
      // The rest of an interrupted drain is older, so it comes first.
      let count = await drainFile(draining, replay);
      await closeFile();
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
    close: closeFile,
  };
}

async function openForAppend(file: string): Promise<FileHandle> {
  const handle = await open(file, 'a', 0o600);
  // A new file is durable only when its directory is.
  const directory = await open(dirname(file), 'r');
  await directory.sync();
  await directory.close();
  return handle;
}

function parseLines(text: string): SpooledOperation[] {
  return text.split('\n').flatMap((line) => decodeLine(line) ?? []);
}

function ignoreMissing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw error;
}
