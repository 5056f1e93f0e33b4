// The local TCP ports of a process, by Linux's tables: tells whose connection a proxy has accepted.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export function portsOf(pid: number): Set<number> {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
      } catch {
        // It was closed meanwhile.
        return [];
      }
    }),
  );
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return new Set(
    lines.flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const port = Number.parseInt(fields[1]?.split(':')[1] ?? '', 16);
      return inodes.has(fields[9] ?? '') ? [port] : [];
    }),
  );
}
