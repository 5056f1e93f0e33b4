// A folder in memory for the databases of the tests. A database that is made and dropped costs a third of a second of processor time
// on a disk and a tenth of that in memory.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const MEMORY = '/dev/shm';
/** The databases that exist at one time, a demo and a backup; and as much for everything else on the machine. */
const LEAST_BYTES = 4 * 2 ** 30;

function hasRoom(folder) {
  const { bavail, bsize } = statfsSync(folder);
  const [, available = 0] = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return bavail * bsize >= LEAST_BYTES && Number(available) * 1024 >= 2 * LEAST_BYTES;
}

/** Tests run programs that they have put there, which containers often forbid. */
function mayRunPrograms(folder) {
  const program = path.join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

const OF_PROCESS = /^tollgate-tests-(\d+)-/;

/** Those of runs that were killed keep memory. */
function removeLeftOver(parent) {
  for (const name of readdirSync(parent)) {
    const [, pid] = OF_PROCESS.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(path.join(parent, name), { recursive: true, force: true });
    } catch {
      // A disk that a killed test has mounted there stays: what is left then is little.
    }
  }
}

/** A new folder in memory, or undefined where there is too little of it or programs may not run there. */
export function makeFastFolder(parent = MEMORY) {
  let folder;
  try {
    removeLeftOver(parent);
    if (!hasRoom(parent)) return undefined;
    folder = mkdtempSync(path.join(parent, `tollgate-tests-${process.pid}-`));
    // PostgreSQL runs as another account.
    chmodSync(folder, 0o711);
    if (mayRunPrograms(folder)) return folder;
  } catch {
    // There is no such folder, or it is not ours to write.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}
