// kill -9 under load. `npm test` strikes a few times; `npm run test:chaos` sets CHAOS_KILLS and strikes fifty.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startPostgres } from '#tests/support/postgres.ts';
import { weather, type Aftermath } from './storm.ts';

const kills = Number(process.env['CHAOS_KILLS'] ?? 3);
const isLong = process.env['CHAOS_KILLS'] !== undefined;
const startLimitMilliseconds = 3000;
const isCrowded = () => (loadavg()[1] ?? 0) > availableParallelism() * 2;
setDefaultTimeout(60_000 + kills * 10_000);

function expectIntact(aftermath: Aftermath): void {
  if (isLong) process.stderr.write(`${kills} kills: ${JSON.stringify(aftermath)}\n`);
  expect(aftermath.acknowledged).toBeGreaterThan(kills);
  expect(aftermath.wrong).toEqual([]);
  expect(aftermath.overcharged).toEqual([]);
  expect(aftermath.brokenInvariants).toEqual([]);
  expect(aftermath.holdsLeft).toBe(0);
  expect(aftermath.charged).toBeGreaterThan(0);
}

describe('kill -9 under load', () => {
  test('C1 the gateway on SQLite: every call seen to its end is charged once, as the upstream counted it', async () => {
    const aftermath = await weather({ kills, callers: 16, restarts: true });
    expectIntact(aftermath);
    expect(aftermath.broken).toBeGreaterThan(0);
    // Three seconds is the promise. Beside other suites, or with more work than processors, of the start's own work.
    expect(aftermath.slowestStartCpuMilliseconds).toBeLessThan(startLimitMilliseconds);
    if (isLong && !isCrowded())
      expect(aftermath.slowestStartMilliseconds).toBeLessThan(startLimitMilliseconds);
  });

  test('the gateway on PostgreSQL', async () => {
    const postgres = await startPostgres();
    try {
      expectIntact(await weather({ kills, callers: 16, restarts: true, databaseUrl: postgres.url }));
    } finally {
      await postgres.stop();
    }
  });

  test('C4 PostgreSQL itself: calls that were running are booked when it is back, once', async () => {
    const postgres = await startPostgres();
    try {
      const strike = () => crashPostgres(postgres.pid);
      expectIntact(await weather({ kills, callers: 16, restarts: false, databaseUrl: postgres.url, strike }));
    } finally {
      await postgres.stop();
    }
  });
});

/** Kills one of its backends: the server then drops every connection, recovers from its log and serves again. */
async function crashPostgres(postmaster: number): Promise<void> {
  // While it recovers from the last blow there is nothing to strike.
  for (let round = 0; round < 500; round += 1) {
    const [victim] = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === postmaster && commandOf(pid).includes('127.0.0.1'));
    if (victim !== undefined) return void process.kill(victim, 'SIGKILL');
    await Bun.sleep(20);
  }
  throw new Error('PostgreSQL has no connection to kill');
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return 0;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
