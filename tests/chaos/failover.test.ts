// A PostgreSQL primary with a synchronous standby: the primary dies under load and the standby takes its place, behind an
// address that moves (docs/guides/failover.md).
import { expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { startPostgresPair, type PostgresPair } from '#tests/support/postgres-pair.ts';
import { isLong, printFigures } from './extent.ts';
import { expectAgreement, playScene, type Scene } from './scene.ts';

setDefaultTimeout(300_000);

const loadMilliseconds = isLong ? 10_000 : 1500;

/** Two nodes behind one address of the database; `strike` ends with a dead primary. */
async function failOver(title: string, strike: (pair: PostgresPair, scene: Scene) => Promise<void>) {
  const pair = await startPostgresPair();
  await using proxy = await startChaosProxy({ port: Number(new URL(pair.primary.url).port) });
  const databaseUrl = Object.assign(new URL(pair.primary.url), { port: String(proxy.port) }).href;
  const standbyUrl = Object.assign(new URL(pair.primary.url), { port: new URL(pair.standby.url).port }).href;
  try {
    const aftermath = await playScene(
      { title, nodes: [{ databaseUrl }, { databaseUrl }], booksUrl: () => standbyUrl },
      async (scene) => {
        expect(await isInRecovery(standbyUrl)).toBe(true);
        await Bun.sleep(loadMilliseconds);
        await strike(pair, scene);
        const killedAt = performance.now();
        const { refused } = scene.load;
        await scene.until('a call is refused', () => scene.load.refused > refused);
        await pair.promote();
        const promotedMilliseconds = performance.now() - killedAt;
        proxy.redirect({ port: Number(new URL(standbyUrl).port) });
        proxy.resetAll();
        expect(await isInRecovery(standbyUrl)).toBe(false);
        const served = scene.load.acknowledged.length;
        await scene.untilServed(1);
        printFigures(`${title}: milliseconds`, {
          promotedMilliseconds,
          servedMilliseconds: performance.now() - killedAt,
          acknowledgedWhileAway: served,
        });
        await Bun.sleep(loadMilliseconds);
      },
    );
    expect(aftermath.refused).toBeGreaterThan(0);
    expectAgreement(aftermath);
  } finally {
    await pair.stop();
  }
}

async function isInRecovery(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ is: boolean }>('select pg_is_in_recovery() as is');
    return rows[0]?.is ?? false;
  } finally {
    await client.end();
  }
}

test('the primary dies under load and the standby is promoted: nothing acknowledged is lost, nothing is doubled', async () => {
  await failOver('failover', (pair) => {
    pair.killPrimary();
    return Promise.resolve();
  });
});

// Too long for `npm test`.
test.skipIf(!isLong)(
  'a primary that cannot reach its standby acknowledges no charge that dies with it',
  async () => {
    await failOver('failover after a cut between the two', async (pair, { load, until }) => {
      pair.holdReplication(true);
      const { refused } = load;
      await until('a call is refused', () => load.refused > refused);
      await Bun.sleep(3000);
      pair.killPrimary();
      pair.holdReplication(false);
    });
  },
);
