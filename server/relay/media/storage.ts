// Where copies are kept: the data directory, or an S3-compatible storage. Both take a finished file of this machine.
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '#contract/settings.ts';
import { createS3, type Egress, type S3, type S3Options } from '#server/platform/egress/index.ts';

export type Place = 'disk' | 's3';

/** The database lies on the same disk and needs space for money. */
const RESERVED_BYTES = 1024 ** 3;
const PIECE_BYTES = 256 * 1024;

/** Pieces of a file; `close` when no more is wanted. */
export interface Pieces {
  read(): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface Disk {
  readonly directory: string;
  /** Where a download grows; fails while the disk has no room for `mostBytes`. */
  temporaryFile(key: string, mostBytes: number): Promise<string>;
  put(key: string, temporary: string): Promise<void>;
  /** Undefined when this machine does not have all of it. */
  open(key: string, start: number, end: number): Promise<Pieces | undefined>;
  remove(key: string): Promise<void>;
  /** Names of files that did not change for an hour: all that no process is writing. */
  oldFiles(): Promise<string[]>;
}

const TEMPORARY_SUFFIX = '.part';
const SETTLED_MILLISECONDS = 3_600_000;

export function createDisk(
  dataDir: string,
  freeBytes: (directory: string) => Promise<number> = freeBytesOf,
): Disk {
  const directory = join(dataDir, 'media');
  const pathOf = (key: string) => join(directory, key);
  return {
    directory,
    async temporaryFile(key, mostBytes) {
      await mkdir(directory, { recursive: true });
      if ((await freeBytes(directory)) < RESERVED_BYTES + mostBytes)
        throw new Error('the disk of the data directory is nearly full; no result is kept');
      return pathOf(key + TEMPORARY_SUFFIX);
    },
    put: (key, temporary) => rename(temporary, pathOf(key)),
    async open(key, start, end) {
      const file = await open(pathOf(key)).catch(() => undefined);
      if (file === undefined) return undefined;
      let at = start;
      const close = () => void file.close().catch(() => undefined);
      const { size } = await file.stat();
      if (size < end) {
        close();
        return undefined;
      }
      return {
        async read() {
          if (at >= end) return undefined;
          const piece = new Uint8Array(Math.min(PIECE_BYTES, end - at));
          const { bytesRead } = await file.read(piece, 0, piece.length, at);
          at += bytesRead;
          return bytesRead === 0 ? undefined : piece.subarray(0, bytesRead);
        },
        close,
      };
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    async oldFiles() {
      const names = await readdir(directory).catch(() => []);
      const before = Date.now() - SETTLED_MILLISECONDS;
      const old: string[] = [];
      for (const name of names) {
        const found = await stat(pathOf(name)).catch(() => undefined);
        if (found !== undefined && found.mtimeMs < before) old.push(name);
      }
      return old;
    },
  };
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** The storage of the settings. */
export function createMediaS3(settings: () => Settings, egress: Pick<Egress, 'target' | 'open'>): S3 {
  const options = (): S3Options => {
    const current = settings();
    return {
      endpoint: current.MediaS3Endpoint,
      bucket: current.MediaS3Bucket,
      region: current.MediaS3Region,
      accessKeyId: current.MediaS3AccessKeyId,
      secretAccessKey: current.MediaS3Secret,
    };
  };
  return createS3(options, 'tollgate-media', egress);
}
