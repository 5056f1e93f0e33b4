// One or more real gateways under load while a test makes faults, and the comparison of all books afterwards.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'bun:test';
import { connectUpstream } from '#tests/support/channels.ts';
import type { Gateway } from '#tests/support/gateway.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { childrenOf } from '#tests/support/postgres-pair.ts';
import { rootPassword, rootToken } from '#tests/support/root-token.ts';
import { compareBooks, type Comparison } from './books.ts';
import { printFigures } from './extent.ts';
import { startLoad, type Load, type Mischief } from './load.ts';
import { freePort } from './storm.ts';
import { startSupervised } from './supervised.ts';

export interface Node {
  /** A temporary directory by default. */
  dataDir?: string;
  /** The address that this node uses, such as that of a proxy. */
  databaseUrl?: string;
  environment?: Record<string, string>;
}

export interface SceneOptions {
  title: string;
  nodes: readonly Node[];
  callers?: number;
  mischief?: () => Mischief;
  /** The database that the books are read from at the end; the first node's by default. */
  booksUrl?: () => string | undefined;
}

export interface Scene {
  readonly gateways: Gateway[];
  readonly load: Load;
  /** Starts the node again after it was killed. */
  restart(this: void, node: number): Promise<void>;
  /** Resolves with the milliseconds until callers got `calls` more complete answers. */
  untilServed(this: void, calls: number): Promise<number>;
  /** Waits for something that the fault must cause; fails the row when it does not happen. */
  until(this: void, what: string, isTrue: () => boolean | Promise<boolean>): Promise<void>;
}

export interface Aftermath extends Comparison {
  acknowledged: number;
  refused: number;
}

const patienceMilliseconds = 240_000;

export async function playScene(
  options: SceneOptions,
  faults: (scene: Scene) => Promise<void>,
): Promise<Aftermath> {
  const own = options.nodes.map(({ dataDir }) => dataDir ?? temporaryDirectory());
  const [first = ''] = own;
  const masterKey = randomBytes(32).toString('hex');
  await using mock = await spawnMockUpstream({ keepRequests: 1_000_000 });
  const environments: Record<string, string>[] = [];
  for (const node of options.nodes)
    environments.push({
      PORT: String(await freePort()),
      DATABASE_URL: node.databaseUrl ?? '',
      MASTER_KEY: masterKey,
      INITIAL_ROOT_PASSWORD: rootPassword,
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'error',
      ...node.environment,
    });
  const start = (node: number) => {
    const environment = environments[node] ?? {};
    const readyUrl =
      environment['WORKERS'] === undefined ? undefined : `http://127.0.0.1:${environment['PORT']}`;
    return startSupervised({ dataDir: own[node] ?? '', environment, ...(readyUrl ? { readyUrl } : {}) });
  };
  const place = { dataDir: first, databaseUrl: options.nodes[0]?.databaseUrl, masterKey };
  const gateways: Gateway[] = [];
  try {
    await connectUpstream(place, { base_url: mock.url, models: ['gpt-4o-mini'] });
    for (const node of options.nodes.keys()) gateways.push(await start(node));
    const key = await rootToken(gateways[0]?.url ?? '');
    const urls = gateways.map(({ url }) => url);
    const load = startLoad(urls, () => key, options.callers ?? 12, options.mischief);
    const scene = createScene(gateways, load, start);
    try {
      await scene.untilServed(10);
      await faults(scene);
    } finally {
      await load.stop();
    }
    for (const gateway of gateways) expect(await gateway.stop()).toBe(0);
    // The next start books the spool that was left at the stop.
    for (const node of options.nodes.keys()) {
      const gateway = (gateways[node] = await start(node));
      await gateway.stop();
    }
    const served = await mock.requests({ limit: 1_000_000 });
    const databaseUrl = options.booksUrl?.() ?? place.databaseUrl;
    const comparison = await compareBooks({ ...place, databaseUrl }, load, served);
    const { refused } = load;
    const aftermath = { ...comparison, acknowledged: load.acknowledged.length, refused };
    printFigures(options.title, aftermath);
    return aftermath;
  } finally {
    for (const gateway of gateways) await killWithWorkers(gateway);
    for (const [node, dataDir] of own.entries())
      if (options.nodes[node]?.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

function createScene(gateways: Gateway[], load: Load, start: (node: number) => Promise<Gateway>): Scene {
  async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + patienceMilliseconds;
    while (!(await isTrue())) {
      if (performance.now() > deadline) throw new Error(`did not happen: ${what}`);
      await Bun.sleep(20);
    }
  }
  return {
    gateways,
    load,
    async restart(node) {
      gateways[node] = await start(node);
    },
    async untilServed(calls) {
      const startedAt = performance.now();
      const before = load.acknowledged.length;
      await until(`${calls} more answers`, () => load.acknowledged.length >= before + calls);
      return performance.now() - startedAt;
    },
    until,
  };
}

/**
 * To the unit: receipts, ledger, log and the upstream's own count, and no money on hold. A process that is killed may lose
 * what it delivered since its last checkpoint.
 */
export function expectAgreement(aftermath: Aftermath, { wasKilled = false } = {}): void {
  const { wrong, overcharged, brokenInvariants, holdsLeft, charged, logged } = aftermath;
  const unpaid = wasKilled ? [] : aftermath.unpaid;
  expect({ wrong, overcharged, unpaid, brokenInvariants, holdsLeft }).toEqual({
    wrong: [],
    overcharged: [],
    unpaid: [],
    brokenInvariants: [],
    holdsLeft: 0,
  });
  expect(logged).toBe(charged);
  expect(aftermath.acknowledged).toBeGreaterThan(0);
}

/** Workers outlive a parent that was killed. */
async function killWithWorkers(gateway: Gateway): Promise<void> {
  const workers = childrenOf(gateway.pid);
  await gateway.kill9();
  for (const worker of workers) process.kill(worker, 'SIGKILL');
}

const temporaryDirectory = () => mkdtempSync(path.join(tmpdir(), 'tollgate-scene-'));
