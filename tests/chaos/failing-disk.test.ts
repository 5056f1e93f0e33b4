// The disk of the database fails and turns read-only. The test mounts a file system, which needs root.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { mayMountFailing, mountFailingDisk } from './failing-disk.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(300_000);

test.skipIf(!mayMountFailing)(
  'SQLite on a disk that turns read-only: no call is admitted, it is reported, and nothing acknowledged is lost (plan C11)',
  async () => {
    using disk = mountFailingDisk(128);
    let refused = 0;
    const aftermath = await playScene(
      { title: 'read-only disk', nodes: [{ dataDir: disk.directory }] },
      async ({ gateways, load, until, untilServed, restart }) => {
        disk.fail();
        expect(() => writeFileSync(path.join(disk.directory, 'probe'), 'x')).toThrow(/EROFS|EIO/);
        const before = load.refused;
        await until('calls are refused', () => load.refused > before + 20);
        const url = gateways[0]?.url;
        await until('it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
        const served = load.acknowledged.length;
        await until('more calls are refused', () => load.refused > before + 60);
        expect(load.acknowledged.length).toBe(served);
        expect(gateways[0]?.output()).toMatch(/"level":"error"/);
        refused = load.refused - before;
        await gateways[0]?.kill9();
        disk.repair();
        await restart(0);
        await untilServed(20);
      },
    );
    expectAgreement(aftermath, { wasKilled: true });
    faultSeen(
      'C11',
      `read-only under load: ${refused} calls refused, not ready, reported; served after the repair`,
    );
  },
);
