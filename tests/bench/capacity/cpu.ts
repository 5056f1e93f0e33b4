// CPU time of PostgreSQL. Waiting for a processor is not in it, so figures hold on a machine that does other work too.
import { readFileSync } from 'node:fs';
import { childrenOf } from '#tests/support/postgres-pair.ts';
import { cpuMicroseconds } from '../process-stats.ts';

const MICROSECONDS_PER_TICK = 10_000;

/** Of the server's process, those it started, and those of them that have ended. */
export function databaseCpuMicroseconds(server: number): number {
  const [, rest = ''] = readFileSync(`/proc/${server}/stat`, 'utf8').split(') ');
  // Fields 16 and 17 of proc(5), counted from the state, which is the third.
  const [user = 0, system = 0] = rest.split(' ').slice(13, 15).map(Number);
  const ended = (user + system) * MICROSECONDS_PER_TICK;
  return childrenOf(server).reduce(
    (sum, child) => {
      try {
        return sum + cpuMicroseconds(child);
      } catch {
        // It ended between the list and the question; the next reading has it among the ended ones.
        return sum;
      }
    },
    cpuMicroseconds(server) + ended,
  );
}
