// Callers that leave in mid-stream, ten thousand times (`npm test`: not run): the gateway's memory and descriptors return to
// where they were. `npm run bench -- --aborts` does it a hundred thousand times.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { abortedStreams } from '#tests/bench/aborts.ts';
import { LoadGenerator } from '#tests/bench/children.ts';
import { startGateway } from '#tests/bench/gateway.ts';
import { printFigures } from '#tests/chaos/extent.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';

setDefaultTimeout(300_000);

/** One twentieth of the base, and what the process needs for the pages of its database. */
const mostGrowth = 1.05;
const pageCacheMegabytes = 64;

const load = new LoadGenerator();
afterAll(() => load.stop());

test('D9 ten thousand aborted streams: memory and descriptors return to the base (plan D9)', async () => {
  const mock = await spawnMockUpstream();
  const gateway = await startGateway({ upstream: mock.url });
  try {
    const [report] = await abortedStreams(load, [{ name: 'sqlite', ...gateway }], () => undefined, true);
    printFigures('aborted streams', report);
    if (report === undefined) throw new Error('no report');
    expect(report.errors).toBe(0);
    expect(report.aborted).toBe(10_000);
    expect(report.endDescriptors).toBeLessThanOrEqual(report.baseDescriptors * mostGrowth);
    expect(report.endMegabytes).toBeLessThan(report.baseMegabytes * mostGrowth + pageCacheMegabytes);
    faultSeen(
      'D9',
      `${report.aborted} streams aborted: memory ${Math.round(report.baseMegabytes)} → ${Math.round(report.endMegabytes)} MB, descriptors ${report.baseDescriptors} → ${report.endDescriptors}`,
    );
  } finally {
    await gateway.stop();
    await mock.stop();
  }
});
