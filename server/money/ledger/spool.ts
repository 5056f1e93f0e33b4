// Ended calls that the database could not take: one line each in a local file, durable before the caller gets the end of its
// answer. They are replayed with the same request ids, so replaying a line twice changes nothing.
//
// A spool belongs to one process: its name is used once, and the process holds a lock beside it until it ends. Another process
// adopts the spool only with that lock, so it can neither replay nor remove lines that a living process is still adding to.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tryLockFile, type FileLock } from '#server/platform/store/sqlite/lock.ts';
import { localDisk, SpoolFile, type SpoolDisk } from './spool-file.ts';
import { decodeLines, encodeLine, type SpooledOperation } from './spool-lines.ts';
import { lockOf, spoolPath } from './spool-names.ts';

export type Replay = (operations: readonly SpooledOperation[]) => Promise<void>;

export interface Spool {
  readonly path: string;
  /** Nothing waits to be written or replayed. */
  readonly isEmpty: boolean;
  /** Resolves when the line is durable, or replayed. Lines that arrive together share one sync. Never rejects. */
  append(operation: SpooledOperation): Promise<void>;
  /**
   * Hands every line to `replay`, in order and in chunks, and removes them. Lines that arrive meanwhile may remain: see
   * `isEmpty`. Rejects when `replay` does or the file fails; the lines stay. Returns how many were replayed.
   */
  drain(replay: Replay): Promise<number>;
  /** Ends the lock; lines that are left are for the next process. */
  close(): Promise<void>;
}

export interface SpoolOptions {
  directory: string;
  nodeId: string;
  onFault: (message: string) => void;
  disk?: SpoolDisk;
  /** Written in advance. A line is about a kilobyte, so this is the end of some four thousand calls. */
  reserveBytes?: number;
  /** A spool of this size takes no more lines; they wait in memory. */
  mostBytes?: number;
  retryMs?: number;
}

interface WaitingLine {
  operation: SpooledOperation;
  resolve(): void;
}

const CHUNK_SIZE = 200;

export function openSpool(options: SpoolOptions): Spool {
  const { directory, nodeId, onFault, disk = localDisk } = options;
  const { reserveBytes = 4 << 20, mostBytes = 64 << 20, retryMs = 500 } = options;
  const { path, lock } = claimPath(directory, nodeId);
  const file = new SpoolFile(path, disk, reserveBytes);
  /** Not durable yet, oldest first. */
  const waiting = new Set<WaitingLine>();
  /** End of the durable lines, and of those that were replayed. */
  let end = 0;
  let replayedEnd = 0;
  /** The last write failed: the lines in `waiting` are in memory only. */
  let isStuck = false;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** Writing and clearing happen one after the other. */
  let turn: Promise<unknown> = reserve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  }

  async function reserve(): Promise<void> {
    if (!(await file.reserve())) onFault(`the disk has no room for ${reserveBytes} bytes of ${path}`);
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.size > 0) {
      const lines = [...waiting];
      const text = lines.map(({ operation }) => `${encodeLine(operation)}\n`).join('');
      try {
        if (end + Buffer.byteLength(text) > mostBytes)
          throw new Error(`the spool has reached ${mostBytes} bytes`);
        end = await file.append(text, end);
      } catch (error) {
        if (!isStuck) onFault(`ended calls wait in memory: ${String(error)}`);
        isStuck = true;
        retry ??= setTimeout(tryAgain, retryMs);
        return;
      }
      isStuck = false;
      resolveLines(lines);
    }
  }

  function tryAgain(): void {
    retry = undefined;
    if (!isClosed) void inTurn(writeWaiting);
  }

  function resolveLines(lines: readonly WaitingLine[]): void {
    for (const line of lines) {
      waiting.delete(line);
      line.resolve();
    }
  }

  /** Lines that were written since the last replay stay. */
  async function clear(): Promise<void> {
    if (replayedEnd < end) return;
    await file.clear();
    end = 0;
    replayedEnd = 0;
    await file.reserve();
  }

  return {
    path,
    get isEmpty() {
      return end === 0 && waiting.size === 0;
    },
    append(operation) {
      return new Promise((resolve) => {
        if (isClosed) return onFault(`an ended call is lost: ${encodeLine(operation)}`);
        waiting.add({ operation, resolve });
        // One write takes every line that waits when its turn comes.
        if (waiting.size === 1) void inTurn(writeWaiting);
      });
    },
    async drain(replay) {
      let count = 0;
      while (replayedEnd < end) {
        const readEnd = end;
        const operations = decodeLines(await file.read(replayedEnd, readEnd));
        await inChunks(operations, replay);
        count += operations.length;
        replayedEnd = readEnd;
      }
      if (isStuck) {
        const lines = [...waiting];
        await inChunks(
          lines.map(({ operation }) => operation),
          replay,
        );
        count += lines.length;
        resolveLines(lines);
      }
      await inTurn(clear);
      return count;
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await inTurn(writeWaiting);
      clearTimeout(retry);
      for (const { operation } of waiting) onFault(`an ended call is lost: ${encodeLine(operation)}`);
      await file.close();
      if (end === 0) {
        rmSync(path, { force: true });
        rmSync(lockOf(path), { force: true });
      }
      lock.release();
    },
  };
}

/** A process that looks for spools to adopt may remove a lock file between its creation and its locking: then another name. */
function claimPath(directory: string, nodeId: string): { path: string; lock: FileLock } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (;;) {
    const path = spoolPath(directory, nodeId, randomUUID());
    const lock = tryLockFile(lockOf(path));
    if (lock !== undefined && existsSync(lockOf(path))) return { path, lock };
    lock?.release();
  }
}

export async function inChunks(operations: readonly SpooledOperation[], replay: Replay): Promise<void> {
  for (let index = 0; index < operations.length; index += CHUNK_SIZE) {
    await replay(operations.slice(index, index + CHUNK_SIZE));
  }
}
