// The disk of the database is full, then has space again. The test mounts a file system, which needs root.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { isLong } from './extent.ts';
import { mayMount, mountSmallDisk } from './small-disk.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(300_000);

const fullMilliseconds = isLong ? 15_000 : 3000;

test.skipIf(mayMount)('not run: mounting the small disk that these tests fill is not allowed here', () => {
  expect(() => mountSmallDisk(8)).toThrow();
});

test.skipIf(!mayMount)(
  'M3 C10 SQLite on a full disk: new calls get 503, delivered output is charged, and service resumes by itself (plan C10)',
  async () => {
    using disk = mountSmallDisk(64);
    let servedAfterMilliseconds = 0;
    const aftermath = await playScene(
      { title: 'full disk, SQLite', nodes: [{ dataDir: disk.directory }] },
      async ({ gateways, load, until, untilServed }) => {
        disk.fill();
        expect(disk.freeBytes()).toBe(0);
        const { refused } = load;
        // The write-ahead log reuses its own space for a while.
        await until('a call is refused', () => {
          disk.fill();
          return load.refused > refused;
        });
        const fullUntil = performance.now() + fullMilliseconds;
        while (performance.now() < fullUntil) {
          disk.fill();
          await Bun.sleep(200);
        }
        expect((await fetch(`${gateways[0]?.url}/api/status`)).status).toBe(200);
        disk.empty();
        servedAfterMilliseconds = await untilServed(20);
      },
    );
    expect(aftermath.refused).toBeGreaterThan(0);
    expect(servedAfterMilliseconds).toBeLessThan(20_000);
    expectAgreement(aftermath);
    faultSeen(
      'C10',
      `64 MB full for ${fullMilliseconds / 1000} s: ${aftermath.refused} calls got 503, served again after ${Math.round(servedAfterMilliseconds)} ms`,
    );
  },
);

test.skipIf(!mayMount)(
  'PostgreSQL is away and the disk of the spool is full: no charge is acknowledged that could be lost',
  async () => {
    using disk = mountSmallDisk(8);
    const postgres = await startPostgres();
    const target = new URL(postgres.url);
    await using proxy = await startChaosProxy({ port: Number(target.port) });
    const throughProxy = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href;
    try {
      const aftermath = await playScene(
        {
          title: 'full disk, PostgreSQL away',
          nodes: [{ dataDir: disk.directory, databaseUrl: throughProxy }],
        },
        async ({ load, until, untilServed }) => {
          disk.fill();
          expect(disk.freeBytes()).toBe(0);
          const { refused } = load;
          proxy.refuse(true);
          proxy.resetAll();
          await until('a call is refused', () => load.refused > refused);
          await Bun.sleep(fullMilliseconds);
          disk.empty();
          await Bun.sleep(500);
          proxy.refuse(false);
          await untilServed(20);
        },
      );
      expectAgreement(aftermath);
    } finally {
      await postgres.stop();
    }
  },
);
