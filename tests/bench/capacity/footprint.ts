// What one call takes of a gateway and of PostgreSQL, measured with a user for each connection: calls of one user share the updates
// of its rows and would look cheaper.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { addPeople } from '#tests/chaos/people.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { LoadGenerator } from '../children.ts';
import { startGateway, type StartedGateway } from '../gateway.ts';
import { chatBody, cleanRun } from '../phases.ts';
import { cpuMicroseconds, residentMegabytes } from '../process-stats.ts';
import { databaseCpuMicroseconds } from './cpu.ts';
import { measureJobs } from './jobs.ts';
import type { Footprint } from './model.ts';

export interface Effort {
  calls: number;
  users: number;
  streams: number;
}

const CHUNKS = 100;
const CHUNK_DELAY_MS = 50;

export async function measureFootprint({ calls, users, streams }: Effort): Promise<Footprint> {
  const upstream = await spawnMockUpstream({});
  const server = await startPostgres(['fsync=on', 'full_page_writes=on']);
  const gateway = await startGateway({ upstream: upstream.url, databaseUrl: server.url });
  const pool = new Pool({ connectionString: server.url, max: 1 });
  const load = new LoadGenerator();
  const dataDir = besideOf(gateway);
  const target = { name: 'Tollgate, PostgreSQL', ...gateway };
  try {
    const people = await addPeople({ dataDir, databaseUrl: server.url }, users, 1_000_000_000);
    const keys = people.map(({ key }) => key);
    const run = (requests: number) => cleanRun(load, target, { connections: users, keys, requests });
    await run(Math.ceil(calls / 2));
    await pool.query('checkpoint');
    const before = await readFigures(pool, server.pid, gateway);
    await run(calls);
    const after = await readFigures(pool, server.pid, gateway);
    const perCall = (name: keyof Figures) => (after[name] - before[name]) / calls;
    const streamed = await measureStreams(load, { target, keys, streams });
    return {
      gatewayMicroseconds: perCall('gatewayMicroseconds'),
      chunkMicroseconds: (streamed.microsecondsPerCall - perCall('gatewayMicroseconds')) / CHUNKS,
      databaseMicroseconds: perCall('databaseMicroseconds'),
      walBytes: perCall('walBytes'),
      logBytes: perCall('logBytes'),
      ledgerBytes: perCall('databaseBytes') - perCall('logBytes'),
      rowsWritten: perCall('rowsWritten'),
      transactions: perCall('transactions'),
      connectionsPerNode: after.connections,
      residentMegabytes: after.residentMegabytes,
      streamKilobytes: streamed.kilobytesPerStream,
      ...(await measureJobs({ dataDir, databaseUrl: server.url, server: server.pid })),
    };
  } finally {
    await load.stop();
    await gateway.stop();
    await pool.end();
    await server.stop();
    await upstream.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The directory of another node on the gateway's database. */
function besideOf(gateway: StartedGateway): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-capacity-'));
  copyFileSync(join(gateway.dataDir, 'master.key'), join(dataDir, 'master.key'));
  return dataDir;
}

interface Figures {
  gatewayMicroseconds: number;
  databaseMicroseconds: number;
  walBytes: number;
  databaseBytes: number;
  logBytes: number;
  rowsWritten: number;
  transactions: number;
  connections: number;
  residentMegabytes: number;
}

const QUERY = `
  select pg_current_wal_lsn() - '0/0' as wal, pg_database_size(current_database()) as size,
    (select sum(pg_total_relation_size(relid)) from pg_partition_tree('logs') where isleaf) as log,
    tup_inserted + tup_updated + tup_deleted as written, xact_commit as transactions,
    (select count(*) from pg_stat_activity where application_name like 'tollgate%') as connections
  from pg_stat_database where datname = current_database()`;

async function readFigures(pool: Pool, postgres: number, gateway: StartedGateway): Promise<Figures> {
  // Taken before the wait: an idle process works too.
  const gatewayMicroseconds = cpuMicroseconds(gateway.processId);
  const databaseMicroseconds = databaseCpuMicroseconds(postgres);
  // A session reports its counts once a second, and once more when it falls idle.
  await Bun.sleep(2500);
  const { rows } = await pool.query<Record<string, string>>(QUERY);
  const number = (name: string) => Number(rows[0]?.[name]);
  return {
    gatewayMicroseconds,
    databaseMicroseconds,
    walBytes: number('wal'),
    databaseBytes: number('size'),
    logBytes: number('log'),
    rowsWritten: number('written'),
    transactions: number('transactions'),
    connections: number('connections'),
    residentMegabytes: residentMegabytes(gateway.processId),
  };
}

interface Streams {
  target: { name: string; url: string; key: string; processId: number };
  keys: readonly string[];
  streams: number;
}

/** Many streams with a pause between chunks: without it several chunks would arrive as one. */
async function measureStreams(load: LoadGenerator, { target, keys, streams }: Streams) {
  const body = chatBody({ outputTokens: CHUNKS, chunkDelayMilliseconds: CHUNK_DELAY_MS });
  const run = (requests: number) => cleanRun(load, target, { connections: streams, keys, requests, body });
  const idle = residentMegabytes(target.processId);
  await run(streams);
  const before = cpuMicroseconds(target.processId);
  const running = run(streams * 2);
  await Bun.sleep((CHUNKS * CHUNK_DELAY_MS) / 2);
  const loaded = residentMegabytes(target.processId);
  await running;
  return {
    microsecondsPerCall: (cpuMicroseconds(target.processId) - before) / (streams * 2),
    kilobytesPerStream: Math.max(0, ((loaded - idle) * 1024) / streams),
  };
}
