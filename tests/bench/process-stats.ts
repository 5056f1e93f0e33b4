// What the kernel says about a process: CPU time of all its threads, resident memory, open descriptors.
import { readFileSync, readdirSync } from 'node:fs';

/** USER_HZ; 100 on every Linux Bun runs on. */
const ticksPerSecond = 100;

export function cpuMicroseconds(processId: number): number {
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
