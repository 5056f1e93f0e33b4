// A file system in memory that can be filled up.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface SmallDisk extends Disposable {
  directory: string;
  /** Takes what is left, also what was freed since the last time. */
  fill(): void;
  freeBytes(): number;
  empty(): void;
}

/** A file system of so many megabytes, removed at the end. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const directory = mkdtempSync(path.join(tmpdir(), 'tollgate-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(directory);
    throw error;
  }
  const ballast = path.join(directory, 'ballast');
  return {
    directory,
    fill() {
      const file = openSync(ballast, 'a');
      const block = Buffer.alloc(64 * 1024);
      try {
        for (let size = block.length; size > 0;) {
          try {
            writeSync(file, block, 0, size);
          } catch {
            size >>= 1;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    freeBytes: () => statfsSync(directory).bavail * statfsSync(directory).bsize,
    empty: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]() {
      execFileSync('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** False for ordinary accounts, and for root in most containers. */
export const mayMount = (() => {
  try {
    mountSmallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
})();
