// The process is killed at every labelled step of a call. After the next start an acknowledged end is booked, a call
// that was not sent is not charged, a sent one is charged its checkpoint, and no hold remains.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createWorld } from './world.ts';

// Each case starts three processes with databases.
setDefaultTimeout(60_000);

const balance = 10_000;

type Step = 'before-procedure' | 'after-procedure' | 'before-commit' | 'after-commit';

interface Case {
  plan: 'release' | 'settle' | 'dispatch' | 'extend';
  /** Where the hold is stored when the call is admitted. */
  hold: 'row' | 'memory';
  procedure: 'reserve' | 'writeHolds' | 'extend' | 'noteProgress' | 'settle' | 'release' | 'none';
  step: Step;
  /** The last step that was acknowledged to the caller. */
  acknowledged: string;
  /** The user's charge after the next start. */
  paid: number;
}

const unfinished: Step[] = ['before-procedure', 'after-procedure', 'before-commit'];

const cases: Case[] = (['row', 'memory'] as const).flatMap((hold): Case[] => [
  ...unfinished.flatMap((step): Case[] => [
    { plan: 'extend', hold, procedure: 'extend', step, acknowledged: 'reserved', paid: 0 },
    { plan: 'dispatch', hold, procedure: 'noteProgress', step, acknowledged: 'reserved', paid: 0 },
    { plan: 'settle', hold, procedure: 'settle', step, acknowledged: 'reserved', paid: 0 },
    { plan: 'dispatch', hold, procedure: 'settle', step, acknowledged: 'dispatched', paid: 120 },
    { plan: 'release', hold, procedure: 'release', step, acknowledged: 'reserved', paid: 0 },
  ]),
  { plan: 'extend', hold, procedure: 'extend', step: 'after-commit', acknowledged: 'reserved', paid: 0 },
  {
    plan: 'dispatch',
    hold,
    procedure: 'noteProgress',
    step: 'after-commit',
    acknowledged: 'reserved',
    paid: 120,
  },
  { plan: 'settle', hold, procedure: 'settle', step: 'after-commit', acknowledged: 'reserved', paid: 321 },
  {
    plan: 'dispatch',
    hold,
    procedure: 'settle',
    step: 'after-commit',
    acknowledged: 'dispatched',
    paid: 321,
  },
  { plan: 'release', hold, procedure: 'release', step: 'after-commit', acknowledged: 'reserved', paid: 0 },
  // Without a failpoint every step succeeds.
  { plan: 'settle', hold, procedure: 'none', step: 'after-commit', acknowledged: 'ended', paid: 321 },
  { plan: 'release', hold, procedure: 'none', step: 'after-commit', acknowledged: 'ended', paid: 0 },
]);

// The writer admits the first call of a user and writes its hold.
for (const step of [...unfinished, 'after-commit'] as const) {
  cases.push({ plan: 'settle', hold: 'row', procedure: 'reserve', step, acknowledged: '', paid: 0 });
}
// A hold in memory gets its row in the batch of the first checkpoint.
for (const step of unfinished) {
  cases.push({
    plan: 'dispatch',
    hold: 'memory',
    procedure: 'writeHolds',
    step,
    acknowledged: 'reserved',
    paid: 0,
  });
}

describe('C3 killed at a labelled step (plan C3)', () => {
  let killed = 0;
  afterAll(() => {
    if (killed > 0) faultSeen('C3', `killed at ${killed} steps of a call`);
  });

  for (const { plan, hold, procedure, step, acknowledged, paid } of cases) {
    test(`${plan}, hold in ${hold}, ${procedure} ${step}: saw "${acknowledged}", paid ${paid}`, async () => {
      const place = await temporaryPlace('sqlite');
      const open = () => openStore({ dataDir: place.dataDir, writerEntry: applicationWriter });
      const before = await open();
      const preparing = await createWorld(before);
      const userId = await preparing.user(balance);
      const tokenId = await preparing.token(userId, { unlimited_quota: 0, remain_quota: 5000 });
      await preparing.close();
      await before.close();

      const script = new URL('failpoint-child.ts', import.meta.url).pathname;
      const child = Bun.spawn(
        [process.execPath, script, place.dataDir, String(userId), String(tokenId), plan, hold],
        {
          env: { ...process.env, FAILPOINT: `${procedure}:${step}` },
          stdout: 'pipe',
          stderr: 'inherit',
        },
      );
      const words = (await new Response(child.stdout).text()).trim().split('\n');
      await child.exited;
      expect(child.signalCode).toBe(procedure === 'none' ? null : 'SIGKILL');
      if (child.signalCode === 'SIGKILL') killed += 1;
      expect(words.at(-1)).toBe(acknowledged);

      const after = await open();
      const world = await createWorld(after);
      expect(await world.findUser(userId)).toMatchObject({
        quota: balance - paid,
        held_quota: 0,
        used_quota: paid,
      });
      expect(await world.findToken(tokenId)).toMatchObject({ remain_quota: 5000 - paid, held_quota: 0 });
      expect(await after.db.selectFrom('holds').selectAll().execute()).toEqual([]);
      expect(await checkInvariants(after)).toEqual([]);
      await world.close();
      await after.close();
      await place.remove();
    });
  }
});
