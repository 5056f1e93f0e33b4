// kill -9 for PostgreSQL: one of its backends dies, and the server drops every connection, recovers from its log and
// serves again.
import { readdirSync, readFileSync } from 'node:fs';

export async function crashPostgres(postmaster: number): Promise<void> {
  // While PostgreSQL recovers from the last kill it has no backend to kill.
  for (let round = 0; round < 500; round += 1) {
    const [victim] = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === postmaster && commandOf(pid).includes('127.0.0.1'));
    if (victim !== undefined) return void process.kill(victim, 'SIGKILL');
    await Bun.sleep(20);
  }
  throw new Error('PostgreSQL has no connection to kill');
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return 0;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
