// What the kernel says about a process: CPU time of all its threads, resident memory, open descriptors.
import { readFileSync, readdirSync } from 'node:fs';

/**
 * Microseconds on a CPU, all threads together. From schedstat, in nanoseconds, because the ticks of /proc/<pid>/stat
 * (10 ms) are too coarse for runs of a second; from the ticks where the kernel keeps no schedstat. A thread that ended
 * between two readings is missed; runtimes keep their pools, so none does.
 */
export function cpuMicroseconds(processId: number): number {
  let microseconds = 0;
  for (const ofThread of Object.values(cpuByThread(processId))) microseconds += ofThread;
  return microseconds > 0 ? microseconds : tickMicroseconds(processId);
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

/** USER_HZ; 100 on every Linux Bun runs on. */
const ticksPerSecond = 100;

function tickMicroseconds(processId: number): number {
  const text = readFileSync(`/proc/${processId}/stat`, 'utf8');
  // The command name may hold spaces and brackets; the fields after its last bracket are numbers.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (ticks / ticksPerSecond) * 1_000_000;
}

export function residentMegabytes(processId: number): number {
  const text = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
}

export function openDescriptors(processId: number): number {
  return readdirSync(`/proc/${processId}/fd`).length;
}
