// A file system on a file whose next error makes it read-only at once, as Linux does with a failing disk.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface FailingDisk extends Disposable {
  directory: string;
  /** Every write fails from now on. */
  fail(): void;
  /** After the processes that use it have ended: checks it and mounts it again. */
  repair(): void;
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { stdio: 'pipe', encoding: 'utf8' }).trim();

export function mountFailingDisk(megabytes: number): FailingDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-failing-'));
  const image = path.join(folder, 'image');
  const directory = path.join(folder, 'disk');
  mkdirSync(directory);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, directory);
  try {
    run('mkfs.ext4', '-q', image);
    mount();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    directory,
    fail() {
      const device = path.basename(run('findmnt', '-n', '-o', 'SOURCE', directory));
      writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'made by a test');
    },
    repair() {
      run('umount', directory);
      // Exit code 1 means that errors were corrected.
      try {
        run('e2fsck', '-p', '-f', image);
      } catch (error) {
        if ((error as { status?: number }).status !== 1) throw error;
      }
      mount();
    },
    [Symbol.dispose]() {
      run('umount', '-l', directory);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Needs root, loop devices and ext4. */
export const mayMountFailing = (() => {
  try {
    mountFailingDisk(8)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
})();
