// One of two nodes on PostgreSQL is killed under load and stays away: the other node resolves its holds.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { isLong } from './extent.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(400_000);

/** They run when the node is killed, so that it leaves holds behind. */
const longCalls = 12;

// A silent node counts as dead after 30 seconds: too long for `npm test`.
test.skipIf(!isLong)(
  'one of two nodes is killed: the other one resolves its holds, and every unit is accounted for (plan C2)',
  async () => {
    const postgres = await startPostgres();
    const reader = new Client({ connectionString: postgres.url });
    await reader.connect();
    const holdsByNode = async () => {
      const { rows } = await reader.query<{ node_id: string; holds: number }>(
        'select node_id, count(*)::int as holds from holds group by node_id',
      );
      return new Map(rows.map(({ node_id, holds }) => [node_id, holds]));
    };
    const silentNode = async () => {
      const { rows } = await reader.query<{ id: string }>(
        'select id from nodes where heartbeat_at < extract(epoch from clock_timestamp()) - 15',
      );
      return rows[0]?.id;
    };
    let begun = 0;
    let left = 0;
    let seconds = 0;
    try {
      const aftermath = await playScene(
        {
          title: 'one of two nodes is killed',
          nodes: [{ databaseUrl: postgres.url }, { databaseUrl: postgres.url }],
          mischief: () => {
            begun += 1;
            return begun <= longCalls ? { pace: { outputTokens: 60, chunkDelayMilliseconds: 300 } } : {};
          },
        },
        async ({ gateways, until, untilServed, restart }) => {
          await until('both nodes have holds', async () => (await holdsByNode()).size === 2);
          await gateways[1]?.kill9();
          const killedAt = performance.now();
          await until('the node is silent', async () => (await silentNode()) !== undefined);
          const dead = (await silentNode()) ?? '';
          left = (await holdsByNode()).get(dead) ?? 0;
          expect(left).toBeGreaterThan(0);
          await until('its holds are resolved', async () => !(await holdsByNode()).has(dead));
          seconds = Math.round((performance.now() - killedAt) / 1000);
          await restart(1);
          await untilServed(20);
        },
      );
      expectAgreement(aftermath, { wasKilled: true });
      faultSeen('C2', `one of two nodes killed: its ${left} holds were resolved after ${seconds} s`);
    } finally {
      await reader.end();
      await postgres.stop();
    }
  },
);
