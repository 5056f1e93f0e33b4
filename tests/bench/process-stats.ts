// What the kernel says about a process: CPU time of all its threads, resident memory, open descriptors.
import { readFileSync, readdirSync } from 'node:fs';

/**
 * Microseconds on a CPU, all threads together. From schedstat, in nanoseconds, because the ticks of /proc/<pid>/stat
 * (10 ms) are too coarse for runs of a second; from the ticks where the kernel keeps no schedstat. A thread that ended
 * between two readings is missed; runtimes keep their pools, so none does.
 */
export function cpuMicroseconds(processId: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${processId}/task`)) {
    try {
      nanoseconds += Number(
        readFileSync(`/proc/${processId}/task/${thread}/schedstat`, 'utf8').split(' ')[0],
      );
    } catch {
      continue;
    }
  }
  return nanoseconds > 0 ? nanoseconds / 1000 : tickMicroseconds(processId);
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
