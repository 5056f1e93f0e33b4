// Nodes on one PostgreSQL whose clocks are wrong: hold expiry and silence are judged by the database's clock.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { dice } from '#tests/support/random.ts';
import { isLong } from './extent.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(400_000);

const clocksAheadSeconds = [0, 86_400, -86_400, 300, -300];
/** The recovery of holds runs every ten seconds, and judges the silence of others after thirty. */
const runMilliseconds = isLong ? 45_000 : 3000;

/** Moves the clock of the process that loads it. */
const shiftedClock = (seconds: number) => `
  const Real = Date;
  const shift = ${seconds * 1000};
  globalThis.Date = class Date extends Real {
    constructor(...parts) {
      if (parts.length === 0) super(Real.now() + shift);
      else super(...parts);
    }
    static now() {
      return Real.now() + shift;
    }
  };`;

test('nodes whose clocks differ by a day and by five minutes take no hold of each other early (plan C16)', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-clock-'));
  const postgres = await startPostgres();
  const reader = new Client({ connectionString: postgres.url });
  await reader.connect();
  const holders = new Set<string>();
  try {
    const nodes = clocksAheadSeconds.map((seconds) => {
      const file = path.join(folder, `clock${seconds}.js`);
      writeFileSync(file, shiftedClock(seconds));
      return { databaseUrl: postgres.url, environment: { BUN_OPTIONS: `--preload=${file}` } };
    });
    const pace = { outputTokens: 40, chunkDelayMilliseconds: 200 };
    const aftermath = await playScene(
      { title: 'wrong clocks', nodes, callers: 20, mischief: () => (dice.next() < 0.3 ? { pace } : {}) },
      async ({ gateways, until, untilServed }) => {
        for (const [node, ahead] of clocksAheadSeconds.entries()) {
          const status = await fetch(`${gateways[node]?.url}/api/status`);
          const { data } = (await status.json()) as { data: { start_time: number } };
          expect(Math.abs(data.start_time - Date.now() / 1000 - ahead)).toBeLessThan(120);
        }
        const endsAt = performance.now() + runMilliseconds;
        // Only written holds can be taken by another node.
        await until('every node has written holds', async () => {
          const { rows } = await reader.query<{ node_id: string }>('select distinct node_id from holds');
          for (const { node_id } of rows) holders.add(node_id);
          return holders.size === clocksAheadSeconds.length && performance.now() > endsAt;
        });
        await untilServed(20);
      },
    );
    expectAgreement(aftermath);
    // A hold that was taken early is charged as an estimate first.
    const early = await reader.query(`select request_id from logs where type = 2 and estimated = 1`);
    expect(early.rows).toEqual([]);
    faultSeen(
      'C16',
      `5 nodes, clocks 0, ±1 day and ±5 minutes: ${aftermath.acknowledged} calls, no hold taken early`,
    );
  } finally {
    await reader.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
