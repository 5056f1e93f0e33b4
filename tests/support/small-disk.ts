// A file system of a few megabytes in memory, so that a test can really fill a disk. Mounting needs root.
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** `size` as tmpfs writes it: `600k`, `16m`. False: this machine does not give the right to mount. */
export function mountSmallDisk(directory: string, size: string): boolean {
  return Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'none', directory]).exitCode === 0;
}

export const unmount = (directory: string) => Bun.spawnSync(['umount', directory]);

/** Not every machine gives the right to mount. */
export const canMount = tryMounting();

function tryMounting(): boolean {
  const directory = mkdtempSync(path.join(tmpdir(), 'mount-'));
  const isMounted = mountSmallDisk(directory, '1m');
  if (isMounted) unmount(directory);
  rmdirSync(directory);
  return isMounted;
}
