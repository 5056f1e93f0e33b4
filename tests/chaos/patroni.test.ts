// Failover as operators run it: two PostgreSQL servers under Patroni with etcd, HAProxy in front, all as Debian ships them, with the
// files of docs/guides/failover.md. The test kills the primary and does nothing else; Patroni and HAProxy do the rest.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { startPatroniCluster, whyNoPatroni } from '#tests/support/patroni.ts';
import { isLong, printFigures } from './extent.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(600_000);

const loadMilliseconds = 5000;
// Too long for `npm test`: Patroni waits 30 seconds before it believes that the primary is dead.
const reason = isLong ? whyNoPatroni() : 'only in npm run test:chaos';
if (isLong && reason !== undefined) process.stderr.write(`the test of Patroni is skipped: ${reason}\n`);

describe.skipIf(reason !== undefined)('under Patroni', () => {
  test('the primary is killed under load: service resumes by itself, nothing acknowledged is lost, nothing is doubled', async () => {
    await using cluster = await startPatroniCluster();
    const primary = await cluster.untilRole('leader');
    const standby = await cluster.untilRole('sync_standby');
    const serverBefore = await serverOf(cluster.url);
    const aftermath = await playScene(
      { title: 'patroni', nodes: [{ databaseUrl: cluster.url }, { databaseUrl: cluster.url }] },
      async (scene) => {
        await Bun.sleep(loadMilliseconds);
        const { refused } = scene.load;
        const killedProcesses = cluster.kill(primary);
        const killedAt = performance.now();
        await scene.until('a call is refused', () => scene.load.refused > refused);
        await cluster.untilRole('leader', standby);
        const promotedMilliseconds = performance.now() - killedAt;
        await scene.untilServed(10);
        printFigures('patroni: milliseconds', {
          killedProcesses,
          promotedMilliseconds,
          servedMilliseconds: performance.now() - killedAt,
          refusedMeanwhile: scene.load.refused - refused,
        });
        // The old primary comes back under load and follows the new one.
        await cluster.restart(primary);
        await cluster.untilRole('sync_standby', primary);
        await scene.untilServed(10);
        await Bun.sleep(loadMilliseconds);
      },
    );
    expect(await cluster.roleOf(standby)).toBe('leader');
    expect(await serverOf(cluster.url)).not.toBe(serverBefore);
    expect(aftermath.refused).toBeGreaterThan(0);
    expectAgreement(aftermath);
  });
});

/** The port of the server that HAProxy leads to. */
async function serverOf(connectionString: string): Promise<number | undefined> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ port: number }>('select inet_server_port() as port');
    return rows[0]?.port;
  } finally {
    await client.end();
  }
}
