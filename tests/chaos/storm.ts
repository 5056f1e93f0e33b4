// The gateway as operators run it, under load, while a process is killed repeatedly.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectUpstream } from '#tests/support/channels.ts';
import type { Gateway } from '#tests/support/gateway.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { rootPassword, rootToken } from '#tests/support/root-token.ts';
import { dice } from '#tests/support/random.ts';
import { compareBooks, type Comparison } from './books.ts';
import { startLoad } from './load.ts';
import { startSupervised } from './supervised.ts';

export interface Storm {
  kills: number;
  callers: number;
  databaseUrl?: string;
  /** What is killed; the gateway by default. */
  strike?: (gateway: Gateway) => Promise<void>;
  /** The gateway dies with each kill and has to be started again. */
  restarts: boolean;
}

export interface Aftermath extends Comparison {
  acknowledged: number;
  broken: number;
  slowestStartMilliseconds: number;
  medianStartMilliseconds: number;
  /** CPU time of the slowest start: on a crowded machine the rest of its duration was waiting. */
  slowestStartCpuMilliseconds: number;
}

export async function weather(storm: Storm): Promise<Aftermath> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-storm-'));
  const place = { dataDir, databaseUrl: storm.databaseUrl };
  await using mock = await spawnMockUpstream({ keepRequests: 1_000_000 });
  await connectUpstream(place, { base_url: mock.url, models: ['gpt-4o-mini'] });
  const environment = {
    PORT: String(await freePort()),
    DATABASE_URL: storm.databaseUrl ?? '',
    INITIAL_ROOT_PASSWORD: rootPassword,
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  let gateway = await startSupervised({ dataDir, environment });
  const starts: { milliseconds: number; cpuMilliseconds: number }[] = [];
  try {
    const key = await rootToken(gateway.url);
    const load = startLoad([gateway.url], () => key, storm.callers);
    for (let kill = 0; kill < storm.kills; kill += 1) {
      await Bun.sleep(150 + dice.next() * 600);
      await (storm.strike ?? ((running) => running.kill9()))(gateway);
      if (!storm.restarts) continue;
      gateway = await startSupervised({ dataDir, environment });
      starts.push({ milliseconds: gateway.startedInMs, cpuMilliseconds: cpuOf(gateway.pid) });
    }
    await Bun.sleep(500);
    await load.stop();
    await gateway.stop();
    // The next start books the spool that was left at the stop.
    gateway = await startSupervised({ dataDir, environment });
    await gateway.stop();
    const served = await mock.requests({ limit: 1_000_000 });
    const comparison = await compareBooks(place, load, served);
    return {
      ...comparison,
      acknowledged: load.acknowledged.length,
      broken: load.broken,
      slowestStartMilliseconds: Math.max(0, ...starts.map(({ milliseconds }) => milliseconds)),
      medianStartMilliseconds:
        starts.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other)[
          starts.length >> 1
        ] ?? 0,
      slowestStartCpuMilliseconds: Math.max(0, ...starts.map(({ cpuMilliseconds }) => cpuMilliseconds)),
    };
  } finally {
    await gateway.kill9();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const millisecondsPerTick = 10;

/** User and system time of a process so far. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
