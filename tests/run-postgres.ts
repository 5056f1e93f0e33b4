// One PostgreSQL for all test files of a run: prints its address and keeps it until this process's input ends,
// which also happens when the runner dies.
import { startPostgres } from './support/postgres.ts';

const server = await startPostgres(['max_connections=300', 'max_wal_size=256MB']);
process.stdout.write(`${server.url}\n`);
await Bun.stdin.text();
await server.stop();
