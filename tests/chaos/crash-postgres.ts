// kill -9 for PostgreSQL: one of its backends dies, and the server drops every connection, recovers from its log and
// serves again.
import { childrenOf, commandOf } from '#tests/support/postgres-pair.ts';

export async function crashPostgres(postmaster: number): Promise<void> {
  // While PostgreSQL recovers from the last kill it has no backend to kill.
  for (let round = 0; round < 500; round += 1) {
    const victim = childrenOf(postmaster).find((pid) => commandOf(pid).includes('127.0.0.1'));
    if (victim !== undefined) return void process.kill(victim, 'SIGKILL');
    await Bun.sleep(20);
  }
  throw new Error('PostgreSQL has no connection to kill');
}
