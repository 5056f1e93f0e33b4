// One PostgreSQL for all test files of a run: prints its address and keeps it until this process's input ends,
// which also happens when the runner dies.
import { startPostgres } from './support/postgres.ts';

const server = await startPostgres([
  'max_connections=300',
  'max_wal_size=256MB',
  // Nobody reads its log, and its files are in the page cache.
  'wal_level=minimal',
  'max_wal_senders=0',
  'io_method=sync',
  // Databases last for seconds. It would connect to each of them.
  'autovacuum=off',
]);
process.stdout.write(`${server.url}\n`);
await Bun.stdin.text();
await server.stop();
