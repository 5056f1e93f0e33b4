// Figures of the kernel about a process: CPU time of all its threads, resident memory, open descriptors.
import { dlopen, FFIType, ptr } from 'bun:ffi';
import { readFileSync, readdirSync } from 'node:fs';

const openLibrary = () =>
  dlopen('libc.so.6', { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
let library: ReturnType<typeof openLibrary> | undefined;
const clock = new BigInt64Array(2);

/**
 * CPU microseconds of all threads, including ended ones (compiler threads are short-lived). The clock of a process
 * counts nanoseconds; the ticks of /proc/<pid>/stat (10 ms) are too coarse for runs of a second.
 */
export function cpuMicroseconds(processId: number): number {
  // The kernel's number for the clock of another process: see clock_getcpuclockid(3).
  const clockId = (~processId << 3) | 2;
  library ??= openLibrary();
  if (library.symbols.clock_gettime(clockId, ptr(clock)) !== 0) throw new Error(`no process ${processId}`);
  const [seconds = 0n, nanoseconds = 0n] = clock;
  return Number(seconds) * 1_000_000 + Number(nanoseconds) / 1000;
}

/** Microseconds by name of thread; `main` runs the program, the JIT and heap threads work for it. */
export function cpuByThread(processId: number): Record<string, number> {
  const names: Record<string, number> = {};
  for (const thread of readdirSync(`/proc/${processId}/task`)) {
    const folder = `/proc/${processId}/task/${thread}`;
    try {
      const name = thread === String(processId) ? 'main' : readFileSync(`${folder}/comm`, 'utf8').trim();
      const nanoseconds = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
      names[name] = (names[name] ?? 0) + nanoseconds / 1000;
    } catch {
      // The thread ended while the list was read.
      continue;
    }
  }
  return names;
}

export function residentMegabytes(processId: number): number {
  const text = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
}

export function openDescriptors(processId: number): number {
  return readdirSync(`/proc/${processId}/fd`).length;
}
