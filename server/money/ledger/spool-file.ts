// The file of one spool: lines one after the other, then blank lines up to the reserved size. The reserve is written when the
// spool opens, so that lines can still be stored on a disk that is full.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

type Handle = Pick<FileHandle, 'read' | 'write' | 'datasync' | 'truncate' | 'close'>;

/** The part of the file system that a spool needs; tests replace it. */
export interface SpoolDisk {
  /** Makes the file, or opens the one that is there. */
  open(this: void, path: string): Promise<Handle>;
  /** A new file is durable only when its directory is. */
  syncDirectory(this: void, path: string): Promise<void>;
}

export const localDisk: SpoolDisk = {
  open: (path) => open(path, constants.O_RDWR | constants.O_CREAT, 0o600),
  async syncDirectory(path) {
    const directory = await open(path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  },
};

const BLANK_BYTES = 1 << 20;
const blank = Buffer.alloc(BLANK_BYTES, '\n');

export class SpoolFile {
  readonly #path: string;
  readonly #disk: SpoolDisk;
  readonly #reserveBytes: number;
  #handle: Handle | undefined;
  #hasReserve = false;
  /** Bytes below may be text, also of a write that failed half-way. */
  #textEnd = 0;

  constructor(path: string, disk: SpoolDisk, reserveBytes: number) {
    this.#path = path;
    this.#disk = disk;
    this.#reserveBytes = reserveBytes;
  }

  /** Returns the end of the text, after it is durable. */
  async append(text: string, position: number): Promise<number> {
    const handle = await this.#open();
    const bytes = Buffer.from(text);
    await writeAll(handle, bytes, position, (end) => {
      this.#textEnd = Math.max(this.#textEnd, end);
    });
    await handle.datasync();
    return position + bytes.length;
  }

  async read(from: number, to: number): Promise<string> {
    const handle = await this.#open();
    const bytes = Buffer.alloc(to - from);
    for (let done = 0; done < bytes.length;) {
      const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
      if (bytesRead === 0) throw new Error(`${this.#path} ends at ${from + done} instead of ${to}`);
      done += bytesRead;
    }
    return bytes.toString();
  }

  /** Blank lines in place of the text, durable when the promise resolves. */
  async clear(): Promise<void> {
    if (this.#textEnd === 0) return;
    const handle = await this.#open();
    await writeBlank(handle, 0, this.#textEnd);
    if (this.#textEnd > this.#reserveBytes) await handle.truncate(this.#reserveBytes);
    await handle.datasync();
    this.#textEnd = 0;
  }

  /** False: the disk has no room for it; the next call tries again. */
  async reserve(): Promise<boolean> {
    if (this.#hasReserve) return true;
    try {
      const handle = await this.#open();
      await writeBlank(handle, this.#textEnd, this.#reserveBytes);
      await handle.datasync();
      this.#hasReserve = true;
    } catch {
      this.#hasReserve = false;
    }
    return this.#hasReserve;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #open(): Promise<Handle> {
    if (this.#handle !== undefined) return this.#handle;
    const handle = await this.#disk.open(this.#path);
    await this.#disk.syncDirectory(dirname(this.#path));
    this.#handle = handle;
    return handle;
  }
}

async function writeBlank(handle: Handle, from: number, to: number): Promise<void> {
  for (let position = from; position < to; position += BLANK_BYTES) {
    await writeAll(handle, blank.subarray(0, Math.min(BLANK_BYTES, to - position)), position);
  }
}

async function writeAll(
  handle: Handle,
  bytes: Uint8Array,
  position: number,
  onWritten: (end: number) => void = () => {},
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
    onWritten(position + done);
  }
}
