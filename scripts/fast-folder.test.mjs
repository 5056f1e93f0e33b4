import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canMount, mountSmallDisk, unmount } from '#tests/support/small-disk.ts';
import { makeFastFolder } from './fast-folder.mjs';

test('the folder in memory can be entered by other accounts; without a place for it there is none (R22)', () => {
  const folder = makeFastFolder();
  // A machine with little memory has none.
  if (folder !== undefined) {
    expect(statSync(folder).mode & 0o777).toBe(0o711);
    rmSync(folder, { recursive: true });
  }
  expect(makeFastFolder('/no/such/folder')).toBeUndefined();
  expect(makeFastFolder('/proc')).toBeUndefined();
});

test('folders of runs that were killed are removed, those of others are not (R22)', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'fast-folder-'));
  // No process has this number on any Linux.
  const names = ['tollgate-tests-99999999-a', `tollgate-tests-${process.pid}-b`, 'another'];
  for (const name of names) mkdirSync(path.join(parent, name));
  makeFastFolder(parent);
  expect(names.map((name) => existsSync(path.join(parent, name)))).toEqual([false, true, true]);
  rmSync(parent, { recursive: true });
});

test.if(canMount)(
  'a disk that a killed run has left mounted does not keep later runs on the slow one (R22)',
  () => {
    const parent = mkdtempSync('/dev/shm/fast-folder-');
    const disk = path.join(parent, 'tollgate-tests-99999999-a', 'disk');
    mkdirSync(disk, { recursive: true });
    mountSmallDisk(disk, '1m');
    const hadRoom = makeFastFolder('/dev/shm');
    const folder = makeFastFolder(parent);
    unmount(disk);
    for (const made of [hadRoom, parent]) if (made !== undefined) rmSync(made, { recursive: true });
    expect(folder === undefined).toBe(hadRoom === undefined);
  },
);
